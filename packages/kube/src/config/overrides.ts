import { Fields } from './fields.ts';
import type { Kubeconfig } from './kubeconfig-file.ts';

/** What kubectl's global flags put in place of a kubeconfig's own settings. An absent field leaves the kubeconfig's value. */
export interface ConnectionOverrides {
  /** `--cluster`: the name of a cluster in the kubeconfig. */
  readonly cluster?: string | undefined;
  /** `--user`: the name of a user in the kubeconfig. */
  readonly user?: string | undefined;
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly as?: string | undefined;
  readonly asUid?: string | undefined;
  readonly asGroups?: readonly string[] | undefined;
  readonly certificateAuthority?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
}

/** Where errors say that a flag was given. */
const COMMAND_LINE = 'command line';

/** A kubeconfig that holds nothing but a server given by flags, for callers that have no kubeconfig. */
export const FLAGS_ONLY: Kubeconfig = {
  files: [COMMAND_LINE],
  currentContext: 'flags',
  clusters: new Map(),
  users: new Map(),
  contexts: new Map([['flags', new Fields(COMMAND_LINE, 'context', {})]]),
};

/** The context with the named cluster and user in place of its own. */
export function overrideContext(context: Fields, overrides: ConnectionOverrides): Fields {
  return context.with({ cluster: overrides.cluster, user: overrides.user });
}

/** The cluster with the flags' values; a CA that is given, or no verification at all, replaces the CA of the kubeconfig. */
export function overrideCluster(cluster: Fields | undefined, overrides: ConnectionOverrides): Fields | undefined {
  const { server, certificateAuthority, insecureSkipTlsVerify, tlsServerName } = overrides;
  const base = cluster ?? (server === undefined ? undefined : new Fields(COMMAND_LINE, 'cluster', {}));
  const replacesTrust = certificateAuthority !== undefined || insecureSkipTlsVerify !== undefined;
  return base?.with({
    server,
    'tls-server-name': tlsServerName,
    ...(replacesTrust && {
      'certificate-authority-data': null,
      'certificate-authority': certificateAuthority ?? null,
      'insecure-skip-tls-verify': insecureSkipTlsVerify ?? false,
    }),
  });
}

/** The user with the flags' values; a token or certificate that is given replaces every way to log in of the kubeconfig. */
export function overrideUser(user: Fields, overrides: ConnectionOverrides): Fields {
  const { token, as, asUid, asGroups, clientCertificate, clientKey } = overrides;
  const replacesLogin = token !== undefined || clientCertificate !== undefined;
  return user.with({
    ...(replacesLogin && { ...NO_LOGIN, token, 'client-certificate': clientCertificate, 'client-key': clientKey }),
    ...(as !== undefined && { as }),
    ...(asUid !== undefined && { 'as-uid': asUid }),
    ...(asGroups !== undefined && asGroups.length > 0 && { 'as-groups': asGroups }),
  });
}

const NO_LOGIN = {
  username: null,
  password: null,
  tokenFile: null,
  token: null,
  'client-certificate-data': null,
  'client-key-data': null,
  'client-certificate': null,
  'client-key': null,
  exec: null,
  'auth-provider': null,
} as const;
