import { guardProcess } from '@manta/base';
import { stopSignal } from '@manta/operator/stop-signal';
import { type ListenAddress, parseListenAddress } from '@manta/runtime';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { runConsole } from '../console/run-console.ts';

interface ConsoleFlags {
  readonly listen: ListenAddress;
  readonly host: readonly string[];
  readonly rayDashboards: boolean;
  readonly rayDashboardPort: number;
  readonly rayDashboardUrl?: string;
  readonly kubeconfig?: string;
  readonly logFormat: 'console' | 'json';
}

const LESSON = `
Viewers log in with a bearer token of their own and see what RBAC lets them see:

  manta console --listen 127.0.0.1:7481
  kubectl create token my-account

Behind an Ingress, name the host under which browsers reach it: --host ray.example.com.
The account of the console needs get, list and watch on Ray objects, pods, events and nodes; it is
used for nothing else.`;

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
