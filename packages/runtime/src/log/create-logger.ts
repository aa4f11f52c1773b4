import type { Clock } from '@manta/kube';
import type { LogFields, Logger } from '../logger.ts';
import type { LogSink } from './background-writer.ts';
import type { LogEncoder } from './encode.ts';
import { encodeFields } from './encode.ts';
import { LogLevel } from './level.ts';
import { errorText, safeJson } from './safe-json.ts';
import { LogSampler } from './sampler.ts';

export interface LogOutput {
  readonly sink: LogSink;
  readonly encode: LogEncoder;
}

export interface LoggerOptions {
  readonly clock: Clock;
  /** Standard error; takes lines from `level` on. */
  readonly main: LogOutput;
  /** A second output that takes lines from info on, whatever `level` says. */
  readonly file?: LogOutput | undefined;
  /** `--zap-devel`: debug level, stack traces from warnings on, no sampling. */
  readonly development?: boolean | undefined;
  /** Overrides what `development` implies. */
  readonly level?: number | undefined;
  readonly stacktraceLevel?: number | undefined;
}

/** A logger that owns its outputs. */
export interface RootLogger extends Logger {
  flush(): Promise<void>;
  /** Call it in an `exit` handler: the last lines of a crash matter most. */
  flushSync(): void;
}

/** A logger with zap's lines, levels and sampling. No call of it throws or waits. */
export function createLogger(options: LoggerOptions): RootLogger {
  const core = new LogCore(options);
  const logger = childLogger(core, '', undefined, undefined);
  return { ...logger, flush: () => core.flush(), flushSync: () => core.flushSync() };
}

class LogCore {
  readonly level: number;
  readonly stacktraceLevel: number;
  readonly #clock: Clock;
  readonly #outputs: readonly (LogOutput & { readonly level: number })[];
  readonly #sampler: LogSampler | undefined;

  constructor(options: LoggerOptions) {
    const isDevelopment = options.development ?? false;
    const level = options.level ?? (isDevelopment ? LogLevel.debug : LogLevel.info);
    this.stacktraceLevel = options.stacktraceLevel ?? (isDevelopment ? LogLevel.warn : LogLevel.error);
    this.#clock = options.clock;
    this.#outputs = [
      { ...options.main, level },
      ...(options.file === undefined ? [] : [{ ...options.file, level: LogLevel.info }]),
    ];
    this.level = Math.min(...this.#outputs.map((output) => output.level));
    this.#sampler = isDevelopment || level <= -2 ? undefined : new LogSampler();
  }

  write(level: number, logger: string, message: string, fields: string, stacktrace: string | undefined): void {
    const timeMs = this.#clock.now();
    if (this.#sampler?.allows(level, message, timeMs) === false) return;
    for (const { sink, encode, level: from } of this.#outputs) {
      if (level < from) continue;
      const dropped = sink.takeDropped();
      if (dropped > 0) sink.write(encode(dropNotice(timeMs, dropped)));
      sink.write(encode({ level, timeMs, logger, message, fields, stacktrace }));
    }
  }

  async flush(): Promise<void> {
    await Promise.all(this.#outputs.map((output) => output.sink.flush()));
  }

  flushSync(): void {
    for (const output of this.#outputs) output.sink.flushSync();
  }
}

function dropNotice(timeMs: number, lines: number) {
  const message = 'log lines were dropped because the output could not take them';
  return { level: LogLevel.warn, timeMs, logger: 'log', message, fields: `,"lines":${lines}`, stacktrace: undefined };
}

/** Fields of `with` are encoded once, at the first line that carries them. */
function childLogger(
  core: LogCore,
  name: string,
  parent: (() => string) | undefined,
  own: LogFields | undefined,
): Logger {
  let encoded: string | undefined;
  const context = () => (encoded ??= (parent?.() ?? '') + encodeFields(own, true));
  const log = (level: number, message: string, fields: LogFields | undefined) => {
    if (level < core.level) return;
    const stack = level >= core.stacktraceLevel ? callerStack() : undefined;
    core.write(level, name, message, context() + encodeFields(fields, false), stack);
  };
  return {
    named: (child) => childLogger(core, name === '' ? child : `${name}.${child}`, context, undefined),
    with: (fields) => childLogger(core, name, context, fields),
    debug: (message, fields) => log(LogLevel.debug, message, fields),
    info: (message, fields) => log(LogLevel.info, message, fields),
    warn: (message, fields) => log(LogLevel.warn, message, fields),
    error(message, error, fields) {
      if (LogLevel.error < core.level) return;
      const stack = LogLevel.error >= core.stacktraceLevel ? errorStack(error) : undefined;
      const text = `${context()}${encodeFields(fields, true)},"error":${safeJson(errorText(error))}`;
      core.write(LogLevel.error, name, message, text, stack);
    },
  };
}

/** Where the error was made, which says more than where it was logged; the caller's place when it is no Error. */
function errorStack(error: unknown): string | undefined {
  return error instanceof Error && typeof error.stack === 'string' ? error.stack : callerStack();
}

/** The frames above the three of this file that lead here, plus the heading line. */
const OWN_LINES = 4;

function callerStack(): string | undefined {
  const lines = new Error('stack').stack?.split('\n').slice(OWN_LINES);
  return lines?.map((line) => line.trim()).join('\n');
}
