import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const MANTA = resolve(import.meta.dirname, '../../bin/manta');

/** `bin/manta router` as its users run it: a process of its own. */
export interface RouterProcess {
  /** Everything written to stderr so far. */
  log(): string;
  /** The port where it serves; undefined until it does. */
  port(): number | undefined;
  /** Asks it to stop and resolves with its exit status. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts it on a free loopback port. */
export function startRouter(kubeconfig: string, args: readonly string[] = []): RouterProcess {
  const all = ['router', '--listen=127.0.0.1:0', '--log-format=json', `--kubeconfig=${kubeconfig}`, ...args];
  const { KUBECONFIG: _, ...env } = process.env;
  const child = spawn(MANTA, all, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const endWithUs = () => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = new Promise<number | null>((done) => {
    child.once('close', (code) => {
      process.off('exit', endWithUs);
      done(code);
    });
  });
  return {
    log: () => log,
    port() {
      const found = /"msg":"Serving","address":"127\.0\.0\.1:(\d+)"/.exec(log)?.[1];
      return found === undefined ? undefined : Number(found);
    },
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}
