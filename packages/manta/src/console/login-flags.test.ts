import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readLoginFlags } from './login-flags.ts';

const folder = mkdtempSync(join(tmpdir(), 'manta-login-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileWith = (text: string) => {
  const file = join(folder, String(text.length));
  writeFileSync(file, text);
  return file;
};
const DEFAULTS = {
  oidcScopes: 'openid profile',
  oidcUsernameClaim: 'sub',
  oidcGroupsClaim: 'groups',
  oidcUsernamePrefix: 'oidc:',
  oidcGroupsPrefix: 'oidc:',
  authProxyUserHeader: 'X-Forwarded-User',
  authProxyGroupsHeader: 'X-Forwarded-Groups',
};
const OIDC = {
  ...DEFAULTS,
  oidcIssuer: 'https://id.example.com',
  oidcClientId: 'console',
  oidcRedirectUrl: 'https://ray.example.com/login/callback',
};

describe('readLoginFlags', () => {
  it('offers neither a provider nor a proxy by default', () => {
    expect(readLoginFlags(DEFAULTS)).toEqual({ oidc: undefined, trustedHeader: undefined });
  });

  it('reads secrets from files', () => {
    const secret = 'a-secret-of-the-auth-proxy';
    const { oidc, trustedHeader } = readLoginFlags({
      ...OIDC,
      oidcClientSecretFile: fileWith('hidden\n'),
      authProxySecretFile: fileWith(`${secret}\n`),
    });
    expect(oidc).toMatchObject({ clientSecret: 'hidden', access: 'token', scopes: ['openid', 'profile'] });
    expect(trustedHeader).toMatchObject({ secret, userHeader: 'x-forwarded-user' });
  });

  it.each([
    [{ ...DEFAULTS, oidcIssuer: 'https://id.example.com' }, 'needs --oidc-issuer, --oidc-client-id'],
    [{ ...OIDC, oidcIssuer: 'http://id.example.com' }, 'is not an https address'],
    [{ ...OIDC, oidcRedirectUrl: 'https://ray.example.com/' }, 'must end in /login/callback'],
    [{ ...OIDC, oidcScopes: 'email' }, 'must contain openid'],
    [{ ...DEFAULTS, authProxySecretFile: fileWith('short') }, 'Use at least 16'],
    [{ ...DEFAULTS, authProxySecretFile: '/nowhere' }, '--auth-proxy-secret-file /nowhere cannot be read'],
  ])('refuses %j', (flags, words) => {
    expect(() => readLoginFlags(flags)).toThrow(words);
  });
});
