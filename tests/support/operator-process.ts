import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

/** `bin/manta operator` as its users run it: a process of its own. */
export interface OperatorProcess {
  /** Everything written to stderr so far. */
  log(): string;
  /** The log's JSON lines. */
  lines(): readonly { readonly level: string; readonly msg: string; readonly [field: string]: unknown }[];
  /** Asks a health or metrics path; undefined while nobody answers. */
  get(port: 'health' | 'metrics', path: string): Promise<string | undefined>;
  /** Sends a signal, e.g. `SIGSTOP` to freeze the process. */
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit status; ends the process first when a signal is given. */
  ended(signal?: NodeJS.Signals): Promise<number | null>;
}

const MANTA = resolve(import.meta.dirname, '../../bin/manta');

/** Starts it on free ports of its own, without leader election unless the arguments say otherwise. */
export function startOperator(options: {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}): OperatorProcess {
  const args = [
    'operator',
    '--metrics-addr=127.0.0.1:0',
    '--health-probe-bind-address=127.0.0.1:0',
    ...(options.args?.some((arg) => arg.includes('leader-election')) ? [] : ['--enable-leader-election=false']),
    ...(options.args ?? []),
  ];
  const { KUBECONFIG: _, ...inherited } = process.env;
  const child = spawn(MANTA, args, { env: { ...inherited, ...options.env }, stdio: ['ignore', 'ignore', 'pipe'] });
  const endWithUs = () => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const exit = new Promise<number | null>((done) => {
    child.once('close', (code) => {
      process.off('exit', endWithUs);
      done(code);
    });
  });
  const lines: OperatorProcess['lines'] = () =>
    log.split('\n').flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []));
  return {
    log: () => log,
    lines,
    async get(server, path) {
      const name = server === 'metrics' ? 'metrics server' : 'health probe server';
      const address = lines().find((line) => line.msg === 'Serving' && line['server'] === name)?.['bindAddress'];
      if (typeof address !== 'string') return undefined;
      const answer = await fetch(`http://${address}${path}`).catch(() => undefined);
      return await answer?.text();
    },
    signal: (name) => void child.kill(name),
    ended: (signal) => end(child, exit, signal),
  };
}

async function end(child: ChildProcess, exit: Promise<number | null>, signal?: NodeJS.Signals): Promise<number | null> {
  if (signal !== undefined && child.exitCode === null) child.kill(signal);
  return await exit;
}
