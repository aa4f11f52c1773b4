import { guardProcess } from '@manta/base';
import { stopSignal } from '@manta/operator/stop-signal';
import { type ListenAddress, parseListenAddress } from '@manta/runtime';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type LoginFlags, readLoginFlags } from '../console/login-flags.ts';
import { runConsole } from '../console/run-console.ts';

interface ConsoleFlags extends LoginFlags {
  readonly listen: ListenAddress;
  readonly host: readonly string[];
  readonly rayDashboards: boolean;
  readonly rayDashboardPort: number;
  readonly rayDashboardUrl?: string;
  readonly computeTemplates?: boolean;
  readonly kubeconfig?: string;
  readonly logFormat: 'console' | 'json';
}

const LESSON = `
Viewers log in with a bearer token of their own and see what RBAC lets them see:

  manta console --listen 127.0.0.1:7481
  kubectl create token my-account

Behind an Ingress, name the host under which browsers reach it: --host ray.example.com.
The account of the console needs get, list and watch on Ray objects, pods, events and nodes, and
more for some logins and Ray dashboards: see docs/console-identity.md.`;

/** Tells the command line what the console takes, and runs it. */
export function describeConsole(command: Command, version: string): void {
  command
    .addOption(
      new Option('--listen <address>', 'where browsers are served')
        .argParser(address)
        .default({ host: '127.0.0.1', port: 7481 }, '127.0.0.1:7481'),
    )
    .addOption(new Option('--host <host...>', 'further hosts under which browsers reach it').default([], 'none'))
    .option('--no-ray-dashboards', 'serve no Ray dashboards and send nothing to Ray heads')
    .addOption(
      new Option('--ray-dashboard-port <n>', 'where Ray dashboards are served, each on a host of its own')
        .argParser(port)
        .default(7482),
    )
    .option(
      '--ray-dashboard-url <url>',
      'where browsers reach Ray dashboards, with a wildcard: https://*.ray.example.com; else http://*.localhost:<port>',
    )
    .option('--compute-templates', "fill in computeTemplate of groups from ConfigMaps, like KubeRay's API server")
    .option('--oidc-issuer <url>', 'OIDC provider where viewers log in; see docs/console-identity.md')
    .option('--oidc-client-id <id>', 'client that is registered at the provider')
    .option('--oidc-client-secret-file <file>', 'file with the secret of the client; none for a public client')
    .option('--oidc-redirect-url <url>', 'https://<console>/login/callback, as registered at the provider')
    .option('--oidc-scopes <scopes>', 'scopes that are asked for, separated by spaces', 'openid profile email groups')
    .option(
      '--oidc-impersonate',
      'the API server does not know the issuer: impersonate users instead of sending ID tokens',
    )
    .option('--oidc-username-claim <claim>', 'claim with the name of an impersonated user', 'sub')
    .option('--oidc-groups-claim <claim>', 'claim with the groups of an impersonated user', 'groups')
    .option('--oidc-username-prefix <prefix>', 'put before the names of impersonated users', 'oidc:')
    .option('--oidc-groups-prefix <prefix>', 'put before the groups of impersonated users', 'oidc:')
    .option('--auth-proxy-secret-file <file>', 'file with the secret that an auth proxy sends in X-Manta-Proxy-Secret')
    .option('--auth-proxy-user-header <name>', 'where the auth proxy names the user', 'X-Forwarded-User')
    .option('--auth-proxy-groups-header <name>', 'where it names the groups, separated by commas', 'X-Forwarded-Groups')
    .option('--kubeconfig <file>', 'kubeconfig file; else KUBECONFIG, the service account, ~/.kube/config')
    .addOption(
      new Option('--log-format <format>', 'how log lines look').choices(['console', 'json']).default('console'),
    )
    .addHelpText('after', LESSON)
    .action(async (flags: ConsoleFlags) => {
      const { listen, host, kubeconfig, logFormat } = flags;
      const stop = stopSignal();
      const unguard = guardProcess();
      try {
        const onServing = (url: string) => void process.stdout.write(`console: ${url}\n`);
        const rayDashboards = { port: flags.rayDashboardPort, url: flags.rayDashboardUrl };
        const options = {
          listen,
          hosts: host,
          kubeconfig,
          logFormat,
          onServing,
          login: readLoginFlags(flags),
          hasComputeTemplates: flags.computeTemplates,
          ...(flags.rayDashboards ? { rayDashboards } : {}),
        };
        await runConsole(options, version, stop.signal);
      } finally {
        unguard();
        stop.dispose();
      }
    });
}

function address(text: string): ListenAddress {
  const parsed = parseListenAddress(text);
  if (parsed.kind === 'listen') return parsed.address;
  throw new InvalidArgumentError(parsed.kind === 'invalid' ? parsed.message : 'The console needs an address.');
}

function port(text: string): number {
  const number = Number(text);
  if (/^\d{1,5}$/.test(text) && number <= 65_535) return number;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}
