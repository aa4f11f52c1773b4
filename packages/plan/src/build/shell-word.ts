/** Expansions by the shell; between double quotes their result is not split into words. */
const COMMAND = `\\$${bracketed('(', ')')}`;
const PUT_IN = `${COMMAND}|\\$${bracketed('{', '}')}|\`[^\`]*\``;
/** Text that the shell does not expand. */
const QUOTED = String.raw`'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]`;
const WHOLE = new RegExp(String.raw`^(?:${QUOTED}|${PUT_IN}|\$(?![({])|[^\s;&|<>()'"\`\\$])*$`);

/**
 * The text as one word of a shell command. Plain text and text that the user quoted already stay unchanged. Text that the shell would split
 * is put between double quotes, in which `$VAR` and `$(command)` still work.
 */
export function shellWord(text: string): string {
  if (/['"`\\]/.test(text)) {
    const isWhole = WHOLE.test(text) && !isBraceExpansion(text.replaceAll(new RegExp(`${QUOTED}|${PUT_IN}`, 'g'), ''));
    return isWhole ? text : `"${escaped(text)}"`;
  }
  const literal = text.replaceAll(new RegExp(PUT_IN, 'g'), '');
  const withoutCommands = text.replaceAll(new RegExp(COMMAND, 'g'), '');
  const isTakenApart = /[\s;&|<>]/.test(withoutCommands) || /[()]/.test(literal) || isBraceExpansion(literal);
  return isTakenApart ? `"${text}"` : text;
}

/** Brace expansion: the shell expands `{a,b}` and `{1..3}` to several words. */
function isBraceExpansion(text: string): boolean {
  const open = text.indexOf('{');
  return open >= 0 && /,|\.\./.test(text.slice(open, text.lastIndexOf('}') + 1));
}

/** Escapes characters that are special between double quotes; command substitutions stay as the user wrote them. */
function escaped(text: string): string {
  return text.replaceAll(new RegExp(String.raw`(${PUT_IN})|["\\\`]`, 'g'), (found, command: string | undefined) =>
    command === undefined ? `\\${found}` : found,
  );
}

/** Nested brackets, up to a depth that no hand-written command reaches. */
function bracketed(open: string, close: string): string {
  let inner = `[^${open}${close}]`;
  for (let depth = 0; depth < 5; depth += 1) inner = `(?:[^${open}${close}]|\\${open}${inner}*\\${close})`;
  return `\\${open}${inner}*\\${close}`;
}
