import { systemClock } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Oidc } from '../../packages/console/src/identity/oidc.ts';
import { CLIENT, type OidcProvider, startOidcProvider } from './oidc-provider.ts';

let provider: OidcProvider;
beforeAll(async () => {
  provider = await startOidcProvider();
});
afterAll(() => provider.close());

/** Logs in with these claims and gives the user's name. */
async function nameFor(claims: Record<string, unknown>): Promise<string | undefined> {
  const oidc = new Oidc(
    {
      issuer: provider.issuer,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      redirectUrl: 'http://127.0.0.1/login/callback',
      scopes: ['openid'],
      access: 'impersonate',
      usernameClaim: 'email',
      groupsClaim: 'groups',
      usernamePrefix: '',
      groupsPrefix: '',
    },
    systemClock,
  );
  provider.claims = { sub: 'otto', email: 'otto@example.com', ...claims };
  const { url, id } = await oidc.begin();
  const back = await fetch(url, { redirect: 'manual' });
  const login = await oidc.complete(id, new URL(back.headers.get('location') ?? '').search);
  return login.access === 'impersonate' ? login.user.user : undefined;
}

describe('addresses as names', () => {
  it.each([{}, { email_verified: true }])('are taken with the claims %j', async (claims) => {
    expect(await nameFor(claims)).toBe('otto@example.com');
  });

  it.each([{ email_verified: false }, { email_verified: 'false' }, { email_verified: 0 }])(
    'are refused with the claims %j',
    async (claims) => {
      await expect(nameFor(claims)).rejects.toThrow('has not verified the address');
    },
  );
});
