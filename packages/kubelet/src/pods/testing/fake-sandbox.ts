import { PassThrough, Readable } from 'node:stream';
import type { ExecStreams, ProcessEnd, ProcessRequest, Sandbox, SandboxProcess } from '../../sandbox/sandbox.ts';

const CODES: Partial<Record<NodeJS.Signals, number>> = { SIGTERM: 143, SIGKILL: 137 };

/** A pod's sandbox in which programs begin at once, and go on until a test or a signal ends them. */
export class FakeSandbox implements Sandbox {
  readonly ip = '10.244.0.2';
  /** What happened, oldest first. */
  readonly log: string[];
  readonly started: ProcessRequest[] = [];
  /** Containers that do not end when they are asked to. */
  readonly deaf = new Set<string>();
  /** Exit codes of commands in hooks and probes, by command line; default success. */
  readonly commands = new Map<string, number | Promise<number>>();
  readonly #ends = new Map<string, (end: ProcessEnd) => void>();

  constructor(log: string[] = []) {
    this.log = log;
  }

  start(request: ProcessRequest): Promise<SandboxProcess> {
    const { name } = request;
    this.log.push(`start ${name}`);
    this.started.push(request);
    const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>();
    this.#ends.set(name, resolve);
    const signal = async (which: NodeJS.Signals) => {
      this.log.push(`${which} ${name}`);
      if (which === 'SIGKILL' || !this.deaf.has(name)) resolve({ code: CODES[which] ?? 1, signal: which });
    };
    return Promise.resolve({ name, ended, signal });
  }

  /** Ends a program. */
  end(name: string, code: number): void {
    this.log.push(`${name} ends with ${code}`);
    this.#ends.get(name)?.({ code });
  }

  exec({ name }: SandboxProcess, command: readonly string[]): Promise<ExecStreams> {
    const words = command.join(' ');
    this.log.push(`${words} in ${name}`);
    const ended = Promise.resolve(this.commands.get(words) ?? 0).then((code) => ({ code }));
    const [stdout, stderr] = [Readable.from([]), Readable.from([])];
    return Promise.resolve({ stdin: new PassThrough(), stdout, stderr, ended, kill: () => undefined });
  }

  setHosts(): Promise<void> {
    return Promise.resolve();
  }

  connect(): Promise<never> {
    return Promise.reject(new Error('connect ECONNREFUSED'));
  }

  destroy(): Promise<void> {
    this.log.push('destroy');
    return Promise.resolve();
  }
}
