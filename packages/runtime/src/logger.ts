/** Structured logging: the message is a constant, everything that varies is a field. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  /** A child whose lines carry `name` (dotted onto the parent's) and `fields`. */
  named(name: string): Logger;
  with(fields: LogFields): Logger;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** Something is wrong but handled. zap calls it warn. */
  warn(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
}

/** Says nothing; for tests and libraries used without a log. */
export const silentLogger: Logger = {
  named: () => silentLogger,
  with: () => silentLogger,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
