/** The paths of keys that a JSON text names more than once in one object, in the order of their second occurrence. The text is valid JSON. */
export function duplicateKeys(text: string): readonly string[] {
  const found: string[] = [];
  let at = 0;

  const skipSpace = (): void => {
    while (text.charCodeAt(at) <= 0x20) at += 1;
  };
  const readString = (): string => {
    const start = at;
    at += 1;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at += 1;
    const raw = text.slice(start, at);
    return raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1);
  };
  const readObject = (path: string): void => {
    const seen = new Set<string>();
    at += 1;
    for (skipSpace(); text[at] !== '}'; skipSpace()) {
      if (text[at] === ',') {
        at += 1;
        continue;
      }
      const key = readString();
      const child = path === '' ? key : `${path}.${key}`;
      if (seen.has(key)) found.push(child);
      seen.add(key);
      skipSpace();
      at += 1;
      readValue(child);
    }
    at += 1;
  };
  const readList = (path: string): void => {
    at += 1;
    let index = 0;
    for (skipSpace(); text[at] !== ']'; skipSpace()) {
      if (text[at] === ',') {
        at += 1;
        continue;
      }
      readValue(`${path}[${index++}]`);
    }
    at += 1;
  };
  const readValue = (path: string): void => {
    skipSpace();
    const char = text[at];
    if (char === '{') readObject(path);
    else if (char === '[') readList(path);
    else if (char === '"') readString();
    else while (at < text.length && !',]} \n\r\t'.includes(text.charAt(at))) at += 1;
  };

  readValue('');
  return found;
}
