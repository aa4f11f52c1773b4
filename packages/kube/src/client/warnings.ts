/**
 * The texts of a `Warning` header, e.g. `299 - "v1 Endpoints is deprecated", 299 - "unknown field \"spec.x\""`. Other codes than 299
 * are about caches and are left out.
 */
export function warningTexts(header: string): string[] {
  const texts: string[] = [];
  for (const match of header.matchAll(WARNING)) {
    const [, code, text] = match;
    if (code === '299' && text !== undefined) texts.push(text.replaceAll(/\\(.)/g, '$1'));
  }
  return texts;
}

const WARNING = /(\d{3}) (?:[^\s"]+) "((?:[^"\\]|\\.)*)"/g;
