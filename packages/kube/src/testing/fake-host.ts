import type { Command, CommandResult, Host } from '../config/host.ts';

/** A machine made of plain values: files in a map, a clock that moves by hand, programs that are functions. */
export interface FakeHost extends Host {
  readonly env: Record<string, string | undefined>;
  readonly files: Map<string, string>;
  isStdinTerminal: boolean;
  /** How often each file was read. */
  readonly reads: Map<string, number>;
  /** Every program that was run. */
  readonly commands: Command[];
  advance(ms: number): void;
}

export interface FakeHostOptions {
  readonly env?: Record<string, string | undefined>;
  readonly files?: Readonly<Record<string, string>>;
  readonly nowMs?: number;
  /** What a program does; absent: no program exists. */
  readonly run?: (command: Command) => Partial<CommandResult> | Promise<Partial<CommandResult>>;
}

export function createFakeHost(options: FakeHostOptions = {}): FakeHost {
  let now = options.nowMs ?? Date.UTC(2026, 0, 1);
  const files = new Map(Object.entries(options.files ?? {}));
  const reads = new Map<string, number>();
  const commands: Command[] = [];
  return {
    env: options.env ?? {},
    files,
    reads,
    commands,
    homeDir: '/home/me',
    pathListSeparator: ':',
    isStdinTerminal: false,
    clock: { now: () => now, setTimer: () => () => undefined },
    advance(ms) {
      now += ms;
    },
    async readFile(path) {
      reads.set(path, (reads.get(path) ?? 0) + 1);
      const text = files.get(path);
      if (text === undefined) throw systemError('ENOENT');
      return text;
    },
    async run(command) {
      commands.push(command);
      if (options.run === undefined) throw systemError('ENOENT');
      return { exitCode: 0, stdout: '', stderrTail: '', hasTimedOut: false, ...(await options.run(command)) };
    },
  };
}

/** An error as the operating system reports it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: refused by the fake host`), { code });
}
