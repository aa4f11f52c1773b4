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
  /** The end of its log. */
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
  const logFile = join(folder, 'manta.log');
  const log = openSync(logFile, 'w');
  const args = ['up', '--port=0', `--data-dir=${join(folder, 'data')}`, ...flags];
  const child = spawn(manta, args, { env, stdio: ['ignore', 'pipe', log] });
  const { stdout } = child;
  if (stdout === null) throw new Error('the engine has no output to read');
  closeSync(log);
  const ended = new Promise<number>((done) => {
    child.once('exit', (code, signal) => done(code ?? (signal === null ? 1 : 0)));
  });
  const said = new Promise<string>((done) => {
    createInterface({ input: stdout }).on('line', (line) => {
      const path = /^kubeconfig: (.+)$/.exec(line)?.[1];
      if (path !== undefined) done(path);
      else if (line !== 'ready' && !line.startsWith('router: ')) onLine(line);
    });
  });
  return {
    ready: Promise.race([said, ended.then(() => undefined)]),
    ended,
    stop: () => void child.kill('SIGTERM'),
    logTail: () => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n'),
    logFile,
  };
}
