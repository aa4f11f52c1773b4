const MAX_DEPTH = 8;

/** Any value as JSON text. Never throws: what JSON cannot say (cycles, BigInt, Error, undefined, a getter that throws) becomes a string. */
export function safeJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.toWellFormed());
    case 'number':
      return Number.isFinite(value) ? String(value) : `"${value}"`;
    case 'boolean':
      return String(value);
    case 'bigint':
      return `"${value}"`;
    case 'object':
      return objectJson(value);
    case 'undefined':
      return 'null';
    case 'function':
      return '"[function]"';
    case 'symbol':
      return JSON.stringify(String(value));
  }
}

/** An error in one line: its message, then the messages of its causes that it does not already contain. Never throws. */
export function errorText(error: unknown): string {
  try {
    return describeError(error);
  } catch {
    return '[unreadable error]';
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : safeJson(error);
  let text = messageOf(error);
  let cause = error.cause;
  for (let depth = 0; cause instanceof Error && depth < MAX_DEPTH; depth++) {
    const message = messageOf(cause);
    if (!text.includes(message)) text += `: ${message}`;
    cause = cause.cause;
  }
  return text;
}

function messageOf(error: Error): string {
  return error.message === '' ? error.name : error.message;
}

function objectJson(value: object | null): string {
  try {
    return JSON.stringify(value, replace) ?? 'null';
  } catch {
    return guardedJson(value, []);
  }
}

function replace(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return errorText(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value;
}

/** The slow way, for objects that JSON.stringify refuses: walks by hand, so that one bad field does not cost the others. */
function guardedJson(value: unknown, parents: readonly unknown[]): string {
  if (typeof value !== 'object' || value === null) return safeJson(value);
  if (value instanceof Error) return JSON.stringify(errorText(value));
  if (parents.includes(value)) return '"[circular]"';
  if (parents.length >= MAX_DEPTH) return '"[too deep]"';
  const within = [...parents, value];
  const items = (list: Iterable<unknown>) => [...list].map((each) => guardedJson(each, within));
  try {
    if (Array.isArray(value) || value instanceof Map || value instanceof Set) return `[${items(value).join(',')}]`;
    const keys = Object.keys(value);
    return `{${keys.map((key) => `${JSON.stringify(key)}:${fieldJson(value, key, within)}`).join(',')}}`;
  } catch (error) {
    return JSON.stringify(`[unreadable: ${errorText(error)}]`);
  }
}

function fieldJson(owner: object, key: string, parents: readonly unknown[]): string {
  try {
    return guardedJson(Reflect.get(owner, key), parents);
  } catch (error) {
    return JSON.stringify(`[unreadable: ${errorText(error)}]`);
  }
}
