import { readFileSync } from 'node:fs';
import { checkOidcOptions, checkProxySecret, type ConsoleOptions, type OidcOptions } from '@manta/console';

/** Flags of `manta console` that decide how viewers log in. */
export interface LoginFlags {
  readonly oidcIssuer?: string;
  readonly oidcClientId?: string;
  readonly oidcClientSecretFile?: string;
  readonly oidcRedirectUrl?: string;
  readonly oidcScopes: string;
  readonly oidcImpersonate?: boolean;
  readonly oidcUsernameClaim: string;
  readonly oidcGroupsClaim: string;
  readonly oidcUsernamePrefix: string;
  readonly oidcGroupsPrefix: string;
  readonly authProxySecretFile?: string;
  readonly authProxyUserHeader: string;
  readonly authProxyGroupsHeader: string;
}

/** Throws one readable line for flags that cannot work together. */
export function readLoginFlags(flags: LoginFlags): Pick<ConsoleOptions, 'oidc' | 'trustedHeader'> {
  const { authProxySecretFile, authProxyUserHeader, authProxyGroupsHeader } = flags;
  return {
    oidc: oidcOf(flags),
    trustedHeader:
      authProxySecretFile === undefined
        ? undefined
        : {
            secret: checkProxySecret(secretIn('--auth-proxy-secret-file', authProxySecretFile)),
            userHeader: authProxyUserHeader.toLowerCase(),
            groupsHeader: authProxyGroupsHeader.toLowerCase(),
          },
  };
}

function oidcOf(flags: LoginFlags): OidcOptions | undefined {
  const { oidcIssuer, oidcClientId, oidcRedirectUrl, oidcClientSecretFile: file } = flags;
  if (oidcIssuer === undefined && oidcClientId === undefined && oidcRedirectUrl === undefined) return undefined;
  if (oidcIssuer === undefined || oidcClientId === undefined || oidcRedirectUrl === undefined)
    throw new Error('a login at an OIDC provider needs --oidc-issuer, --oidc-client-id and --oidc-redirect-url.');
  return checkOidcOptions({
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: file === undefined ? undefined : secretIn('--oidc-client-secret-file', file),
    redirectUrl: oidcRedirectUrl,
    scopes: flags.oidcScopes.split(/[\s,]+/).filter((scope) => scope !== ''),
    access: flags.oidcImpersonate === true ? 'impersonate' : 'token',
    usernameClaim: flags.oidcUsernameClaim,
    groupsClaim: flags.oidcGroupsClaim,
    usernamePrefix: flags.oidcUsernamePrefix,
    groupsPrefix: flags.oidcGroupsPrefix,
  });
}

function secretIn(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Error(`${flag} ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
