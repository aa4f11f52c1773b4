import { resolve } from 'node:path';
import type { ConnectionOverrides } from '@manta/kube';
import { type Command, Option } from 'commander';
import { duration } from './flag-values.ts';

/** kubectl's global flags, as commander names them. */
export interface GlobalFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly token?: string;
  readonly as?: string;
  readonly asUid?: string;
  readonly asGroup?: readonly string[];
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  /** Milliseconds; 0 is none. */
  readonly requestTimeout?: number;
  /** False with `--no-color`. */
  readonly color: boolean;
}

/** Adds the flags that every command takes, before or after its name. */
export function addGlobalFlags(program: Command): void {
  const flags: readonly (readonly [string, string])[] = [
    [
      '--kubeconfig <file>',
      'kubeconfig file; else KUBECONFIG, the service account of the pod, ~/.kube/config, a running `manta up`',
    ],
    ['--context <name>', 'context of the kubeconfig'],
    ['--cluster <name>', 'cluster of the kubeconfig'],
    ['--user <name>', 'user of the kubeconfig'],
    ['-n, --namespace <name>', 'namespace; else that of the context, else default'],
    ['-s, --server <url>', 'address of the API server'],
    ['--token <token>', 'bearer token for the API server'],
    ['--as <user>', 'user to impersonate'],
    ['--as-uid <uid>', 'UID to impersonate'],
    ['--certificate-authority <file>', 'certificates that the server is checked against'],
    ['--client-certificate <file>', 'client certificate'],
    ['--client-key <file>', 'key of the client certificate'],
    ['--insecure-skip-tls-verify', 'do not check the certificate of the server'],
    ['--tls-server-name <name>', 'name that the certificate of the server must carry'],
  ];
  for (const [names, description] of flags)
    program.addOption(new Option(names, description).helpGroup('Global flags:'));
  program
    .addOption(
      new Option('--as-group <group>', 'group to impersonate; may be repeated')
        .argParser((group, before: readonly string[] | undefined) => [...(before ?? []), group])
        .helpGroup('Global flags:'),
    )
    .addOption(
      new Option('--request-timeout <duration>', 'time for one request to the API server, such as 10s; 0 is none')
        .argParser(duration)
        .helpGroup('Global flags:'),
    )
    .addOption(
      new Option('--no-color', 'no colours; NO_COLOR in the environment does the same').helpGroup('Global flags:'),
    )
    // Accepted for scripts that were written for other plugins; this program keeps no discovery cache and sends no compressed requests.
    .addOption(new Option('--cache-dir <dir>').hideHelp())
    .addOption(new Option('--disable-compression').hideHelp());
}

/** What the flags put in place of the kubeconfig's settings. Files are relative to the working directory, not to the kubeconfig. */
export function overridesOf(flags: GlobalFlags): ConnectionOverrides {
  const { cluster, user, server, token, as, asUid, asGroup, certificateAuthority, clientCertificate, clientKey } =
    flags;
  const { insecureSkipTlsVerify, tlsServerName } = flags;
  return {
    cluster,
    user,
    server,
    token,
    as,
    asUid,
    asGroups: asGroup,
    certificateAuthority: absolute(certificateAuthority),
    clientCertificate: absolute(clientCertificate),
    clientKey: absolute(clientKey),
    insecureSkipTlsVerify,
    tlsServerName,
  };
}

function absolute(path: string | undefined): string | undefined {
  return path === undefined || path === '' ? undefined : resolve(path);
}
