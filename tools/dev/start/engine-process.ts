import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** `manta up` as a child, with its log in a file. */
export interface EngineProcess {
  /** Resolves with the kubeconfig's path when it serves, with undefined when it ends before. */
  readonly ready: Promise<string | undefined>;
  readonly ended: Promise<number>;
  stop(): void;
  /** The end of its log, and of what it has written to standard error. */
  logTail(): string;
  readonly logFile: string;
}

export interface EngineProcessOptions {
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Starts it on any free port and a data directory of its own, with further flags. */
export function startEngineProcess(
  manta: string,
  folder: string,
  { flags, env }: EngineProcessOptions,
  onLine: (line: string) => void,
): EngineProcess {
  const logFile = join(folder, 'data/manta.log');
  const errors = join(folder, 'errors');
  const log = openSync(errors, 'w');
  // In a process group of its own: signals reach it only through its parent, once each, whoever sends them to whom.
  const args = ['up', '--port=0', `--data-dir=${join(folder, 'data')}`, ...flags];
  const child = spawn(manta, args, { env, stdio: ['ignore', 'pipe', log], detached: true });
  const { stdout } = child;
  if (stdout === null) throw new Error('the engine has no output to read');
  closeSync(log);
  const ended = new Promise<number>((done) => {
    child.once('exit', (code, signal) => done(code ?? (signal === null ? 1 : 0)));
  });
  let isReady = false;
  const said = new Promise<string>((done) => {
    createInterface({ input: stdout }).on('line', (line) => {
      const path = /^kubeconfig: (.+)$/.exec(line)?.[1];
      if (path !== undefined) done(path);
      isReady ||= line === 'ready';
      // What follows is for users of `manta up`, but for links.
      if (!isReady || /^(?:console|ray dashboard): /.test(line)) onLine(line);
    });
  });
  return {
    ready: Promise.race([said, ended.then(() => undefined)]),
    ended,
    stop: () => void child.kill('SIGTERM'),
    logTail: () => [tailOf(logFile), tailOf(errors)].filter((tail) => tail !== '').join('\n'),
    logFile,
  };
}

function tailOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  } catch {
    // It ended before there was one.
    return '';
  }
}
