/** Cuts bytes into pieces whose lengths come from `cuts` (0 gives an empty chunk, as sockets sometimes do). */
export function cutAtRandom(bytes: Uint8Array, cuts: Iterable<number>): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let from = 0;
  for (const length of cuts) {
    if (from >= bytes.length) break;
    chunks.push(bytes.subarray(from, from + length));
    from += length;
  }
  if (from < bytes.length) chunks.push(bytes.subarray(from));
  return chunks;
}
