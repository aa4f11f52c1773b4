import { guardProcess } from '@manta/base';
import { stopSignal } from '@manta/operator/stop-signal';
import { type ListenAddress, parseListenAddress } from '@manta/runtime';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { runConsole } from '../console/run-console.ts';

interface ConsoleFlags {
  readonly listen: ListenAddress;
  readonly host: readonly string[];
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
    .option('--kubeconfig <file>', 'kubeconfig file; else KUBECONFIG, the service account, ~/.kube/config')
    .addOption(
      new Option('--log-format <format>', 'how log lines look').choices(['console', 'json']).default('console'),
    )
    .addHelpText('after', LESSON)
    .action(async ({ listen, host, kubeconfig, logFormat }: ConsoleFlags) => {
      const stop = stopSignal();
      const unguard = guardProcess();
      try {
        const onServing = (url: string) => void process.stdout.write(`console: ${url}\n`);
        const options = { listen, hosts: host, kubeconfig, logFormat, onServing };
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
