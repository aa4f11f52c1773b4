/** Where a position of a YAML text is, read from indentation alone, so that it works while the text is incomplete. */
export interface YamlPosition {
  /** Keys from the root to the mapping that holds the position; lists have no step. */
  readonly path: readonly string[];
  /** The key of the line, up to its colon. */
  readonly key: string;
  /** Whether the position is behind the colon. */
  readonly isValue: boolean;
  /** Keys that the same mapping has already. */
  readonly siblings: readonly string[];
}

interface Line {
  readonly column: number;
  /** Column of the last dash, for the first line of a list item. */
  readonly dash: number | undefined;
  readonly key: string;
  readonly rest: string;
}

const LINE = /^( *)((?:- +)*)(?:(["']?)([\w./-]+)\3(:(?:\s|$)))?(.*)$/;

function parse(text: string): Line | undefined {
  if (/^\s*(#|$)/.test(text)) return undefined;
  const [, indent = '', dashes = '', , key = '', colon, rest = ''] = LINE.exec(text) ?? [];
  const column = indent.length + dashes.length;
  return {
    column,
    dash: dashes === '' ? undefined : indent.length + dashes.lastIndexOf('-'),
    key: colon === undefined ? '' : key,
    rest,
  };
}

/** The document of a text that holds a line; documents are separated by `---`. */
export function documentAround(lines: readonly string[], at: number): readonly [from: number, to: number] {
  let from = at;
  while (from > 0 && lines[from]?.startsWith('---') !== true) from--;
  let to = at + 1;
  while (to < lines.length && lines[to]?.startsWith('---') !== true) to++;
  return [from, to];
}

/** Undefined in a comment and in the text of a block scalar. */
export function positionAt(lines: readonly string[], at: number, column: number): YamlPosition | undefined {
  const text = lines[at] ?? '';
  if (/^\s*#/.test(text.slice(0, column))) return undefined;
  const own = parse(text) ?? { column: text.length === 0 ? column : text.length, dash: undefined, key: '', rest: '' };
  const [from, to] = documentAround(lines, at);
  const path: string[] = [];
  let limit = own.dash === undefined ? own.column : own.dash + 1;
  for (let line = at - 1; line >= from; line--) {
    const above = parse(lines[line] ?? '');
    if (above === undefined) continue;
    if (above.column < limit) {
      if (/^[|>][+-]?\d*\s*$/.test(above.rest)) return undefined;
      if (above.key !== '') path.unshift(above.key);
      limit = above.column;
    }
    // A list may stand at the column of its key, so the key of an item's list is at most at the dash.
    if (above.dash !== undefined && above.column === limit) limit = above.dash + 1;
    if (limit === 0) break;
  }
  return {
    path,
    key: own.key,
    isValue: own.key !== '' && column > own.column + own.key.length,
    siblings: siblingsOf(lines, at, own, from, to),
  };
}

function siblingsOf(lines: readonly string[], at: number, own: Line, from: number, to: number): readonly string[] {
  const keys: string[] = [];
  // The first line of a list item has no siblings above it.
  for (let line = at - 1; line >= from && own.dash === undefined; line--) {
    const above = parse(lines[line] ?? '');
    if (above === undefined) continue;
    if (above.column < own.column) break;
    if (above.column === own.column && above.key !== '') keys.push(above.key);
    if (above.column === own.column && above.dash !== undefined) break;
  }
  for (let line = at + 1; line < to; line++) {
    const below = parse(lines[line] ?? '');
    if (below === undefined) continue;
    if (below.column < own.column || (below.dash ?? own.column) < own.column) break;
    if (below.column === own.column && below.key !== '') keys.push(below.key);
  }
  return keys;
}

/** The kind of the document that holds a line. */
export function kindAt(lines: readonly string[], at: number): string {
  const [from, to] = documentAround(lines, at);
  const line = lines.slice(from, to).find((each) => each.startsWith('kind:'));
  return /^kind:\s*["']?(\w+)/.exec(line ?? '')?.[1] ?? '';
}
