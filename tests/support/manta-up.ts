import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const MANTA = resolve(import.meta.dirname, '../../bin/manta');

/** What a program said and how it ended. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `bin/manta up --no-pods` as its users run it: a process of its own. */
export interface MantaUp {
  readonly process: ChildProcess;
  readonly kubeconfig: { readonly path: string; readonly text: string };
  readonly ended: Promise<Ended>;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Runs `bin/manta` to its end. */
export function runManta(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return start(args, env).ended;
}

/** Starts an engine on any free port and waits until it says that it is ready. */
export async function startMantaUp(dataDir: string, args: readonly string[] = []): Promise<MantaUp> {
  const { child, ended } = start(['up', '--no-pods', '--port=0', `--data-dir=${dataDir}`, ...args], {});
  const path = await new Promise<string>((done, fail) => {
    let text = '';
    child.stdout?.on('data', (chunk: string) => {
      text += chunk;
      const said = /^ready\nkubeconfig: (.+)\n/m.exec(text)?.[1];
      if (said !== undefined) done(said);
    });
    void ended.then(({ status, stderr }) => fail(new Error(`manta up ended with ${status}:\n${stderr}`)));
  });
  return {
    process: child,
    kubeconfig: { path, text: readFileSync(path, 'utf8') },
    ended,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { KUBECONFIG: _, ...inherited } = process.env;
  const child = spawn(MANTA, args, { env: { ...inherited, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const endWithUs = () => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((done) => {
    child.once('close', (status) => {
      process.off('exit', endWithUs);
      done({ status, stdout, stderr });
    });
  });
  return { child, ended };
}
