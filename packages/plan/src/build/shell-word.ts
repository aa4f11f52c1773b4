/** What a shell puts in by itself: its result is not taken apart between double quotes. */
const COMMAND = `\\$${bracketed('(', ')')}`;
const PUT_IN = `${COMMAND}|\\$${bracketed('{', '}')}|\`[^\`]*\``;
/** What a shell does not look into. */
const QUOTED = String.raw`'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]`;
const WHOLE = new RegExp(String.raw`^(?:${QUOTED}|${PUT_IN}|\$(?![({])|[^\s;&|<>()'"\`\\$])*$`);

/**
 * The text as one word of a command. Plain text and what the user has quoted so that it is one word stay as they are; what a shell would
 * take apart is put between double quotes, in which `$VAR` and `$(command)` still work.
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

/** A shell makes several words of `{a,b}` and of `{1..3}`. */
function isBraceExpansion(text: string): boolean {
  const open = text.indexOf('{');
  return open >= 0 && /,|\.\./.test(text.slice(open, text.lastIndexOf('}') + 1));
}

/** What would end the double quotes, or mean something within them, means itself; commands stay as the user has written them. */
function escaped(text: string): string {
  return text.replaceAll(new RegExp(String.raw`(${PUT_IN})|["\\\`]`, 'g'), (found, command: string | undefined) =>
    command === undefined ? `\\${found}` : found,
  );
}

/** Brackets with brackets in them, which have brackets in them, up to a depth that nobody reaches by hand. */
function bracketed(open: string, close: string): string {
  let inner = `[^${open}${close}]`;
  for (let depth = 0; depth < 5; depth += 1) inner = `(?:[^${open}${close}]|\\${open}${inner}*\\${close})`;
  return `\\${open}${inner}*\\${close}`;
}
