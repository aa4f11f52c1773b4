import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const PIECE_BYTES = 64 * 1024;
const NEW_LINE = 10;

/** Where the last lines of a file begin, of which nothing before `first` is kept. A line that has not ended yet is one. */
export function lastLinesFrom(path: string, lines: number, first = 0): number {
  return withFile(path, (file, size) => {
    if (lines === 0) return size;
    let left = lines;
    const buffer = Buffer.alloc(PIECE_BYTES);
    // What ends the last line begins no other.
    for (let end = size - 1; end > first; end -= PIECE_BYTES) {
      const start = Math.max(first, end - PIECE_BYTES);
      const piece = buffer.subarray(0, readSync(file, buffer, 0, end - start, start));
      for (let at = piece.lastIndexOf(NEW_LINE); at >= 0; at = at === 0 ? -1 : piece.lastIndexOf(NEW_LINE, at - 1)) {
        left -= 1;
        if (left === 0) return start + at + 1;
      }
    }
    return first;
  });
}

/** Where the first line begins that does not begin before an offset. */
export function lineFrom(path: string, offset: number): number {
  if (offset === 0) return 0;
  return withFile(path, (file, size) => {
    const buffer = Buffer.alloc(PIECE_BYTES);
    for (let start = offset - 1; start < size; start += PIECE_BYTES) {
      const at = buffer.subarray(0, readSync(file, buffer, 0, PIECE_BYTES, start)).indexOf(NEW_LINE);
      if (at >= 0) return start + at + 1;
    }
    return size;
  });
}

function withFile(path: string, find: (file: number, size: number) => number): number {
  const file = openSync(path, 'r');
  try {
    return find(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}
