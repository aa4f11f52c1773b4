const BEGIN = '<!-- The session below is recorded by tools/dev/start/record.ts. -->';
const END = '<!-- End of the recorded session. -->';

/** Puts a recorded session into a page, in the place of the one before it. */
export function withSession(page: string, command: string, output: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the page has no place for a session: "${BEGIN}" and "${END}"`);
  const session = `${BEGIN}\n\n\`\`\`console\n$ ${command}\n${output.trim()}\n\`\`\`\n\n`;
  return page.slice(0, begin) + session + page.slice(end);
}
