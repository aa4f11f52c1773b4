import type { Clock, Credentials } from '@manta/kube';
import * as oidc from 'openid-client';
import type { NamedUser } from './impersonation.ts';
import { PendingLogins } from './pending-logins.ts';

export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: a public client, protected by PKCE alone. */
  readonly clientSecret?: string | undefined;
  /** `https://ray.example.com/login/callback`, as registered at the provider. */
  readonly redirectUrl: string;
  readonly scopes: readonly string[];
  /**
   * `token`: the API server trusts the issuer, and gets the ID token. `impersonate`: it does not know the issuer, and the console's account
   * impersonates the user.
   */
  readonly access: 'token' | 'impersonate';
  /** Claims and prefixes of impersonated users, like the flags of kube-apiserver. */
  readonly usernameClaim: string;
  readonly groupsClaim: string;
  readonly usernamePrefix: string;
  readonly groupsPrefix: string;
}

/** What a provider vouches for. */
export type OidcLogin =
  | { readonly access: 'impersonate'; readonly user: NamedUser; readonly expiresAtMs: number }
  | {
      readonly access: 'token';
      readonly credentials: () => Promise<Credentials>;
      /** Absent: the ID token is refreshed as long as the provider allows it. */
      readonly expiresAtMs?: number;
    };

/** The login could not be completed; the message is for the viewer. */
export class OidcFailed extends Error {
  override readonly name = 'OidcFailed';
}

const CLOCK_TOLERANCE_S = 30;
const REFRESH_BEFORE_MS = 60_000;
const CALLBACK = '/login/callback';

/** The authorization code flow with PKCE, state and nonce. The provider is looked up at the first login. */
export class Oidc {
  readonly #options: OidcOptions;
  readonly #clock: Clock;
  readonly #pending: PendingLogins;
  #found: Promise<oidc.Configuration> | undefined;

  constructor(options: OidcOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#pending = new PendingLogins(clock);
  }

  /** Where the browser goes, and the id of this login, which it brings back in a cookie. */
  async begin(): Promise<{ readonly url: URL; readonly id: string }> {
    const config = await this.#provider();
    const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: this.#options.redirectUrl,
      scope: this.#options.scopes.join(' '),
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return { url, id: this.#pending.add({ verifier, state, nonce }) };
  }

  /** Completes a login. Rejects with `OidcFailed` unless the provider's answer belongs to this browser and vouches for somebody. */
  async complete(id: string | undefined, search: string): Promise<OidcLogin> {
    const started = this.#pending.take(id);
    if (started === undefined)
      throw new OidcFailed('this login was not begun in this browser, or more than ten minutes ago: log in again');
    const config = await this.#provider();
    // Of the URL only the query is the browser's: behind an Ingress this server does not know its own address.
    const url = new URL(this.#options.redirectUrl);
    url.search = search;
    const tokens = await oidc
      .authorizationCodeGrant(config, url, {
        pkceCodeVerifier: started.verifier,
        expectedState: started.state,
        expectedNonce: started.nonce,
        idTokenExpected: true,
      })
      .catch((error: unknown) => {
        throw new OidcFailed(`the login at ${this.#options.issuer} failed: ${reasonOf(error)}`, { cause: error });
      });
    return this.#options.access === 'token' ? this.#byToken(config, tokens) : this.#byName(tokens);
  }

  #byName(tokens: Tokens): OidcLogin {
    const { usernameClaim, groupsClaim, usernamePrefix, groupsPrefix } = this.#options;
    const claims = tokens.claims() ?? { exp: 0 };
    const values: Readonly<Record<string, unknown>> = claims;
    const name = values[usernameClaim];
    if (typeof name !== 'string' || name === '') throw new OidcFailed(`the ID token has no claim ${usernameClaim}`);
    // Like kube-apiserver: a claim that is there must be true, and "false" is a text that some providers send.
    const isVerified = values['email_verified'] ?? true;
    if (usernameClaim === 'email' && isVerified !== true)
      throw new OidcFailed(`the provider has not verified the address ${name}`);
    const groups = values[groupsClaim];
    const texts = Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [];
    const user = { user: usernamePrefix + name, groups: texts.map((group) => groupsPrefix + group) };
    return { access: 'impersonate', user, expiresAtMs: claims.exp * 1000 };
  }

  #byToken(config: oidc.Configuration, first: Tokens): OidcLogin {
    let current = toToken(first);
    let refresh = first.refresh_token;
    let refreshing: Promise<Credentials> | undefined;
    if (refresh === undefined)
      return { access: 'token', credentials: async () => current.credentials, expiresAtMs: current.expiresAtMs };
    const renew = async (token: string): Promise<Credentials> => {
      const tokens = await oidc.refreshTokenGrant(config, token);
      refresh = tokens.refresh_token ?? token;
      if (tokens.id_token !== undefined) current = toToken(tokens);
      return current.credentials;
    };
    const credentials = async (): Promise<Credentials> => {
      if (refresh === undefined || current.expiresAtMs - this.#clock.now() > REFRESH_BEFORE_MS)
        return current.credentials;
      // A provider that refuses leaves the old token, which the API server will refuse: the session then ends with its words.
      refreshing ??= renew(refresh)
        .catch(() => current.credentials)
        .finally(() => (refreshing = undefined));
      return await refreshing;
    };
    return { access: 'token', credentials };
  }

  async #provider(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const url = new URL(issuer);
    const metadata = {
      [oidc.clockTolerance]: CLOCK_TOLERANCE_S,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    };
    this.#found ??= oidc.discovery(url, clientId, metadata, undefined, {
      execute: url.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
      timeout: 10,
    });
    try {
      return await this.#found;
    } catch (error) {
      this.#found = undefined;
      throw new OidcFailed(`the OIDC provider ${issuer} cannot be used: ${reasonOf(error)}`, { cause: error });
    }
  }
}

type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;

function toToken(tokens: Tokens): { readonly credentials: Credentials; readonly expiresAtMs: number } {
  const expiresAtMs = (tokens.claims()?.exp ?? 0) * 1000;
  return { credentials: { headers: { authorization: `Bearer ${tokens.id_token ?? ''}` } }, expiresAtMs };
}

function reasonOf(error: unknown): string {
  const description =
    typeof error === 'object' && error !== null && 'error_description' in error ? error.error_description : undefined;
  if (typeof description === 'string') return description;
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** Throws one readable line for options that cannot work, or that would send secrets in the clear. */
export function checkOidcOptions(options: OidcOptions): OidcOptions {
  for (const [flag, text] of [
    ['--oidc-issuer', options.issuer],
    ['--oidc-redirect-url', options.redirectUrl],
  ] as const) {
    const url = URL.parse(text);
    const isLoopback = url !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
    if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)))
      throw new Error(`${flag} ${text} is not an https address. Plain http is allowed on loopback only.`);
  }
  if (new URL(options.redirectUrl).pathname !== CALLBACK)
    throw new Error(`--oidc-redirect-url ${options.redirectUrl} must end in ${CALLBACK}.`);
  if (!options.scopes.includes('openid')) throw new Error('--oidc-scopes must contain openid.');
  return options;
}
