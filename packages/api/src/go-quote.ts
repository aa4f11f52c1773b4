const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Quotes a text as Go's `%q` does, which is how user input appears in messages that tools match on. */
export function goQuote(text: string): string {
  let quoted = '"';
  for (const char of text) quoted += ESCAPES[char] ?? (isPrintable(char) ? char : escapeCodePoint(char));
  return `${quoted}"`;
}

function isPrintable(char: string): boolean {
  return char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}

function escapeCodePoint(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0');
}
