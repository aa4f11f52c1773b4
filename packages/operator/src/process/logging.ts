import type { LogEncoder, Parsed } from '@manta/api';
import type { Clock } from '@manta/kube';
import {
  BackgroundWriter,
  createLogger,
  createRotatingFile,
  createStderrSink,
  encodeConsole,
  encodeJson,
  parseLogLevel,
  parseStacktraceLevel,
  type RootLogger,
} from '@manta/runtime';
import type { LogOptions } from '../options/options.ts';

/** The operator's log: stderr, and a file if configured. */
export function openLog(options: LogOptions, clock: Clock): Parsed<RootLogger> {
  const level = options.level === undefined ? undefined : parseLogLevel(options.level);
  if (options.level !== undefined && level === undefined) {
    return {
      ok: false,
      error: `--zap-log-level: "${options.level}" is not debug, info, error, panic or a positive number`,
    };
  }
  const stacktraceLevel =
    options.stacktraceLevel === undefined ? undefined : parseStacktraceLevel(options.stacktraceLevel);
  if (options.stacktraceLevel !== undefined && stacktraceLevel === undefined) {
    return {
      ok: false,
      error: `--zap-stacktrace-level: "${options.stacktraceLevel}" is not info, warn, error or panic`,
    };
  }
  const file = openFile(options, clock);
  if (!file.ok) return file;
  const log = createLogger({
    clock,
    main: { sink: createStderrSink(clock), encode: encoderOf(options.encoder) },
    file: file.value,
    development: options.isDevelopment,
    level,
    stacktraceLevel,
  });
  return { ok: true, value: log };
}

function openFile(options: LogOptions, clock: Clock): Parsed<Parameters<typeof createLogger>[0]['file']> {
  if (options.file === '') return { ok: true, value: undefined };
  try {
    const target = createRotatingFile({ path: options.file, clock });
    return { ok: true, value: { sink: new BackgroundWriter(target, clock), encode: encoderOf(options.fileEncoder) } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, error: `--log-file-path: ${reason}` };
  }
}

function encoderOf(name: LogEncoder): typeof encodeJson {
  return name === 'console' ? encodeConsole : encodeJson;
}
