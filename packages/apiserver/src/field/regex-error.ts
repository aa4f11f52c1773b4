/** The server's wording for a text that does not match a pattern, with examples of what does. */
export function regexError(message: string, pattern: string, ...examples: readonly string[]): string {
  const used = `regex used for validation is '${pattern}'`;
  if (examples.length === 0) return `${message} (${used})`;
  return `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}${used})`;
}
