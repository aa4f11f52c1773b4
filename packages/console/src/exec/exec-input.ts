/** What a browser sends to a terminal, checked. */
export type Input =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'resize'; readonly columns: number; readonly rows: number }
  | { readonly type: 'nothing' };

const MAX_SIZE = 1000;

/** Reads a frame; what is malformed does nothing. */
export function readInput(data: Buffer, isBinary: boolean): Input {
  if (isBinary) return { type: 'bytes', bytes: data };
  const parsed = parse(data.toString('utf8'));
  if (typeof parsed !== 'object' || parsed === null || !('type' in parsed)) return { type: 'nothing' };
  if (parsed.type === 'input' && 'text' in parsed && typeof parsed.text === 'string')
    return { type: 'bytes', bytes: Buffer.from(parsed.text, 'utf8') };
  if (parsed.type === 'resize' && 'columns' in parsed && 'rows' in parsed) {
    const { columns, rows } = parsed;
    if (isSize(columns) && isSize(rows)) return { type: 'resize', columns, rows };
  }
  return { type: 'nothing' };
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_SIZE;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
