/** One thing in an archive. Owners are root and times are the beginning of time, so that the same content gives the same bytes. */
export type TarEntry =
  | { readonly kind: 'folder'; readonly path: string; readonly mode?: number }
  | { readonly kind: 'file'; readonly path: string; readonly mode?: number; readonly data: Uint8Array }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

const BLOCK = 512;
const MAX_NAME = 100;
const TYPES = { file: '0', link: '2', folder: '5' } as const;
const MODES = { file: 0o644, link: 0o777, folder: 0o755 } as const;

/** A ustar archive of the entries, in their order. Throws on names that this plain format cannot hold. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    const data = entry.kind === 'file' ? entry.data : new Uint8Array();
    parts.push(header(entry, data.length), data, new Uint8Array(padding(data.length)));
  }
  return Buffer.concat([...parts, new Uint8Array(2 * BLOCK)]);
}

function padding(length: number): number {
  return (BLOCK - (length % BLOCK)) % BLOCK;
}

function header(entry: TarEntry, size: number): Buffer {
  const name = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
  const target = entry.kind === 'link' ? entry.target : '';
  for (const text of [name, target])
    if (Buffer.byteLength(text) > MAX_NAME) throw new Error(`${text} is too long for a tar archive`);
  const block = Buffer.alloc(BLOCK);
  const mode = entry.kind === 'link' ? MODES.link : (entry.mode ?? MODES[entry.kind]);
  block.write(name, 0);
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  block.write(' '.repeat(8), 148);
  block.write(TYPES[entry.kind], 156);
  block.write(target, 157);
  block.write('ustar', 257);
  block.write('00', 263);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}
