/** zap's numbers: higher is more severe; `-n` is what `V(n)` logs at. */
export const LogLevel = { debug: -1, info: 0, warn: 1, error: 2, panic: 4 } as const;

/** How a level is written in a line. */
export function levelName(level: number): string {
  if (level >= LogLevel.panic) return 'panic';
  if (level >= LogLevel.error) return 'error';
  if (level >= LogLevel.warn) return 'warn';
  return level >= LogLevel.info ? 'info' : 'debug';
}

/** Reads `--zap-log-level`: debug, info, error, panic, or a positive integer for more than debug; undefined when it is none of these. */
export function parseLogLevel(text: string): number | undefined {
  const name = text.toLowerCase();
  if (name === 'debug' || name === 'info' || name === 'error' || name === 'panic') return LogLevel[name];
  return /^[1-9]\d{0,8}$/.test(text) ? -Number(text) : undefined;
}

/** Reads `--zap-stacktrace-level`: as above, with warn and without integers. */
export function parseStacktraceLevel(text: string): number | undefined {
  if (text.toLowerCase() === 'warn') return LogLevel.warn;
  return /^\d/.test(text) ? undefined : parseLogLevel(text);
}
