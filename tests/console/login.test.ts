import type { NewSession } from '@manta/console';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleFixture, startConsoleFixture } from './console-fixture.ts';
import { CLIENT, type OidcProvider, startOidcProvider } from './oidc-provider.ts';

const SECRET = 'proxy-secret-proxy-secret';
let provider: OidcProvider;
let impersonating: ConsoleFixture;
let trusting: ConsoleFixture;
beforeAll(async () => {
  provider = await startOidcProvider();
  const oidc = (access: 'token' | 'impersonate') => (port: number) => ({
    oidc: {
      issuer: provider.issuer,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      redirectUrl: `http://127.0.0.1:${port}/login/callback`,
      scopes: ['openid', 'groups'],
      access,
      usernameClaim: 'sub',
      groupsClaim: 'groups',
      usernamePrefix: '',
      groupsPrefix: 'team:',
    },
    trustedHeader: { secret: SECRET, userHeader: 'x-forwarded-user', groupsHeader: 'x-forwarded-groups' },
  });
  [impersonating, trusting] = await Promise.all([
    startConsoleFixture({ login: oidc('impersonate') }),
    startConsoleFixture({ login: oidc('token') }),
  ]);
});
afterAll(async () => {
  await Promise.all([impersonating.close(), trusting.close()]);
  await provider.close();
});
afterEach(() => {
  Object.assign(provider, {
    claims: { sub: 'otto', groups: ['dev'] },
    lifetime: 300,
    refreshes: false,
    nonce: undefined,
  });
});

const cookieIn = (answer: Response, name: string) =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0] ?? '')
    .find((cookie) => cookie.startsWith(`${name}=`)) ?? '';

/** Goes to the provider and back, like a browser. `onCallback` may change what the browser brings back. */
async function logIn(
  fixture: ConsoleFixture,
  onCallback: (url: URL, cookie: string) => { readonly url: URL; readonly cookie: string } = (url, cookie) => ({
    url,
    cookie,
  }),
): Promise<Response> {
  const begun = await fixture.request('/login/oidc');
  expect(begun.status).toBe(303);
  expect(begun.headers.getSetCookie()[0]).toMatch(/Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/);
  const authorize = begun.headers.get('location') ?? '';
  expect(authorize).toContain('code_challenge_method=S256');
  const back = await fetch(authorize, { redirect: 'manual' });
  const { url, cookie } = onCallback(
    new URL(back.headers.get('location') ?? ''),
    cookieIn(begun, '__Host-manta-login'),
  );
  return await fixture.request(url.pathname + url.search, { cookie });
}

interface LoggedIn {
  readonly cookie: string;
  readonly headers: Record<string, string>;
}

function sessionIn(answer: Response): LoggedIn {
  const [, key = ''] = /^\/#key=([\w-]{43})$/.exec(answer.headers.get('location') ?? '') ?? [];
  expect([answer.status, key === '']).toEqual([303, false]);
  return { cookie: cookieIn(answer, '__Host-manta'), headers: { 'x-manta-console': key } };
}

const whoIs = async (fixture: ConsoleFixture, session: LoggedIn) =>
  (await (await fixture.request('/api/session', session)).json()) as NewSession;

describe('login at an OIDC provider', () => {
  it('is offered', async () => {
    expect(await (await impersonating.request('/api/session')).json()).toEqual({
      methods: ['proxy-header', 'oidc', 'token', 'kubeconfig'],
    });
  });

  it('impersonates the user if the API server does not know the issuer', async () => {
    provider.claims = { sub: 'otto', groups: ['dev', 'system:masters'] };
    const session = sessionIn(await logIn(impersonating));
    expect(await whoIs(impersonating, session)).toMatchObject({
      user: 'otto',
      groups: ['team:dev', 'team:system:masters', 'system:authenticated'],
      method: 'oidc',
    });
    const denied = await impersonating.request('/apis/ray.io/v1/rayjobs', session);
    expect(await denied.json()).toMatchObject({
      code: 403,
      message: expect.stringContaining('User "otto" cannot list'),
    });
  });

  it('passes the ID token on to an API server that knows the issuer, and ends with it', async () => {
    provider.lifetime = 120;
    const answer = await logIn(trusting, (url, cookie) => ({ url, cookie }));
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({
      message: expect.stringContaining('does not accept these credentials'),
    });
    // From now on the API server takes whatever this provider issues.
    const { push } = provider.issued;
    provider.issued.push = (token) => {
      trusting.tokens.set(token, { name: 'otto', groups: ['system:authenticated'] });
      return push.call(provider.issued, token);
    };
    const session = await whoIs(trusting, sessionIn(await logIn(trusting)));
    expect(session).toMatchObject({ user: 'otto', method: 'oidc' });
    expect(Date.parse(session.expiresAt)).toBeLessThan(Date.now() + 121_000);
  });

  it('refreshes an ID token that is about to expire', async () => {
    Object.assign(provider, { lifetime: 50, refreshes: true });
    const session = sessionIn(await logIn(trusting));
    const before = provider.issued.length;
    expect((await trusting.request('/version', session)).status).toBe(200);
    expect(provider.issued.length).toBeGreaterThan(before);
    expect(Date.parse((await whoIs(trusting, session)).expiresAt)).toBeGreaterThan(Date.now() + 3_600_000);
  });

  it.each<[string, (url: URL, cookie: string) => { url: URL; cookie: string }]>([
    ['without the cookie of the browser that began it', (url) => ({ url, cookie: '' })],
    [
      'with another state',
      (url, cookie) => {
        url.searchParams.set('state', 'forged');
        return { url, cookie };
      },
    ],
    [
      'with another code',
      (url, cookie) => {
        url.searchParams.set('code', 'guess');
        return { url, cookie };
      },
    ],
    [
      'that the provider refused',
      (url, cookie) => {
        url.searchParams.delete('code');
        url.searchParams.set('error', 'access_denied');
        return { url, cookie };
      },
    ],
  ])('is refused %s', async (_, change) => {
    expect((await logIn(impersonating, change)).status).toBe(401);
  });

  it('is refused with a nonce of another login, and cannot be completed twice', async () => {
    provider.nonce = 'replayed';
    expect((await logIn(impersonating)).status).toBe(401);
    provider.nonce = undefined;
    let again: { url: URL; cookie: string } | undefined;
    sessionIn(
      await logIn(impersonating, (url, cookie) => {
        again = { url, cookie };
        return again;
      }),
    );
    const { url, cookie } = again ?? { url: new URL('http://x'), cookie: '' };
    expect((await impersonating.request(url.pathname + url.search, { cookie })).status).toBe(401);
  });

  it.each([
    [{ sub: 'system:admin' }, 403, 'are refused: system:admin'],
    [{ groups: [] }, 401, '\\"sub\\"'],
    [{ sub: 'a\nb' }, 403, 'characters'],
  ])('with the claims %j is refused', async (claims, status, words) => {
    provider.claims = claims;
    const answer = await logIn(impersonating);
    expect([answer.status, JSON.stringify(await answer.json())]).toEqual([status, expect.stringContaining(words)]);
  });
});

describe('login behind an auth proxy', () => {
  const proxied = (user: string, secret = SECRET, more: Record<string, string> = {}) => ({
    'x-forwarded-user': user,
    'x-forwarded-groups': 'ops, system:masters',
    'x-manta-proxy-secret': secret,
    ...more,
  });

  it('impersonates the user whom the proxy names, without groups of the system', async () => {
    const { cookie, headers } = sessionIn(await impersonating.request('/login/proxy', { headers: proxied('pia') }));
    const session = { cookie, headers: proxied('pia', SECRET, headers) };
    expect(await whoIs(impersonating, session)).toMatchObject({
      user: 'pia',
      groups: ['ops', 'system:authenticated'],
      method: 'proxy-header',
    });
    for (const others of [headers, proxied('eve', SECRET, headers), proxied('pia', 'wrong', headers)])
      expect((await impersonating.request('/api/session', { cookie, headers: others })).status).toBe(401);
  });

  it('is refused with forged headers', async () => {
    for (const headers of [
      proxied('pia', ''),
      proxied('pia', `${SECRET}x`),
      proxied('pia,eve'),
      proxied(''),
      { 'x-forwarded-user': 'pia' },
    ])
      expect((await impersonating.request('/login/proxy', { headers })).status).toBe(401);
    expect((await impersonating.request('/login/proxy', { headers: proxied('system:admin') })).status).toBe(403);
    const foreign = proxied('pia', SECRET, { 'sec-fetch-site': 'cross-site' });
    expect((await impersonating.request('/login/proxy', { headers: foreign })).status).toBe(403);
  });
});

describe('login with a kubeconfig', () => {
  const paste = (kubeconfig: string) =>
    impersonating.request('/api/login/kubeconfig', { method: 'POST', body: JSON.stringify({ kubeconfig }) });

  it('takes the client certificate of its current context', async () => {
    const { text } = impersonating.engine.user({ name: 'kim', groups: ['dev'] }).kubeconfig;
    expect(await (await paste(text)).json()).toMatchObject({ user: 'kim', method: 'kubeconfig' });
  });

  it.each([
    ['exec: {command: touch, args: [/tmp/attacked], apiVersion: client.authentication.k8s.io/v1}', 'has exec'],
    ['tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token', 'has tokenFile'],
    ['client-certificate: /etc/passwd', 'has client-certificate'],
    ['{}', 'neither a token nor'],
  ])('runs nothing and reads no file of the server: %s', async (user, words) => {
    const text = `current-context: a\ncontexts: [{name: a, context: {user: u}}]\nusers:\n- name: u\n  user:\n    ${user}\n`;
    const answer = await paste(text);
    expect([answer.status, JSON.stringify(await answer.json())]).toEqual([400, expect.stringContaining(words)]);
  });

  it('with as many keys as fit is read in linear time', async () => {
    const text = Array.from({ length: 10_000 }, (_, at) => `${at.toString(36)}:`).join('\n');
    const started = performance.now();
    await Promise.all(Array.from({ length: 20 }, async () => expect((await paste(text)).status).toBe(400)));
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('says what is wrong with other texts', async () => {
    for (const text of ['', 'a: [', 'kind: Config', 'x'.repeat(70_000)])
      expect([400, 413]).toContain((await paste(text)).status);
  });
});

describe('expired sessions', () => {
  it('no longer answer', async () => {
    Object.assign(provider, { lifetime: -25 });
    // The provider's clock may be 30 s off: the login works, and the session has already ended.
    const session = sessionIn(await logIn(impersonating));
    expect((await impersonating.request('/api/session', session)).status).toBe(401);
  });
});

describe('audit', () => {
  it('has a line for each login, refused or not', async () => {
    expect(impersonating.log()).toMatch(/Logged in.*"user":"pia","method":"proxy-header"/);
    expect(impersonating.log()).toMatch(/Login failed.*"method":"oidc"/);
    expect(impersonating.log()).not.toContain(SECRET);
  });
});
