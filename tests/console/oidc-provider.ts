import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface OidcProvider {
  readonly issuer: string;
  /** Claims of whoever logs in next. */
  claims: Record<string, unknown>;
  /** Seconds until an ID token expires. */
  lifetime: number;
  /** Whether refresh tokens are handed out. */
  refreshes: boolean;
  /** Changed for a provider that misbehaves. */
  nonce: string | undefined;
  readonly issued: string[];
  close(): Promise<void>;
}

export const CLIENT = { id: 'console', secret: 'secret-of-the-client' };

/** An OpenID provider whose only user is already logged in. It checks the client's secret, its redirect and PKCE. */
export async function startOidcProvider(): Promise<OidcProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, { readonly challenge: string; readonly nonce: string; readonly redirect: string }>();
  const state = { claims: { sub: 'otto', groups: ['dev'] }, lifetime: 300, refreshes: false, nonce: undefined };
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', provider.issuer);
      const json = (status: number, body: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      switch (url.pathname) {
        case '/.well-known/openid-configuration':
          return json(200, {
            issuer: provider.issuer,
            authorization_endpoint: `${provider.issuer}/authorize`,
            token_endpoint: `${provider.issuer}/token`,
            jwks_uri: `${provider.issuer}/keys`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['RS256'],
            code_challenge_methods_supported: ['S256'],
          });
        case '/keys':
          return json(200, {
            keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
          });
        case '/authorize': {
          const code = randomUUID();
          const asked = (name: string) => url.searchParams.get(name) ?? '';
          const redirect = asked('redirect_uri');
          codes.set(code, { challenge: asked('code_challenge'), nonce: asked('nonce'), redirect });
          const location = `${redirect}?${new URLSearchParams({ code, state: asked('state') }).toString()}`;
          return response.writeHead(302, { location }).end();
        }
        case '/token': {
          const form = new URLSearchParams(await text(request));
          if (form.get('client_id') !== CLIENT.id || form.get('client_secret') !== CLIENT.secret)
            return json(401, { error: 'invalid_client' });
          const started = codes.get(form.get('code') ?? '');
          codes.delete(form.get('code') ?? '');
          const isRefresh = form.get('grant_type') === 'refresh_token' && form.get('refresh_token') === 'refresh-me';
          const challenge = createHash('sha256')
            .update(form.get('code_verifier') ?? '')
            .digest('base64url');
          if (!isRefresh && (started?.challenge !== challenge || started.redirect !== form.get('redirect_uri')))
            return json(400, { error: 'invalid_grant', error_description: 'the code is wrong' });
          return json(200, {
            access_token: randomUUID(),
            token_type: 'Bearer',
            expires_in: 300,
            id_token: idToken(isRefresh ? undefined : (provider.nonce ?? started?.nonce)),
            ...(provider.refreshes ? { refresh_token: 'refresh-me' } : {}),
          });
        }
        default:
          return json(404, {});
      }
    })();
  });
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const idToken = (nonce: string | undefined) => {
    const now = Math.floor(Date.now() / 1000);
    const about = { iss: provider.issuer, aud: CLIENT.id, iat: now, exp: now + provider.lifetime, jti: randomUUID() };
    const signed = `${encode({ alg: 'RS256', kid: 'one' })}.${encode({ ...about, nonce, ...provider.claims })}`;
    const token = `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
    provider.issued.push(token);
    return token;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const provider: OidcProvider = {
    ...state,
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    issued: [],
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => {
        server.close(done);
      });
    },
  };
  return provider;
}
