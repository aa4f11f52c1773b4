import type { Sink } from './follow-output.ts';

const NEW_LINE = 10;

/** Prefixes each line with its time. `from` must be the offset of a line's first byte. */
export function withTimes(from: number, timeOf: (offset: number) => number, sink: Sink): Sink {
  let offset = from;
  let isAtStart = true;
  return async (chunk) => {
    const parts: Buffer[] = [];
    for (let at = 0; at < chunk.length; ) {
      if (isAtStart) parts.push(Buffer.from(`${stamp(timeOf(offset + at))} `));
      const end = chunk.indexOf(NEW_LINE, at);
      const next = end < 0 ? chunk.length : end + 1;
      parts.push(chunk.subarray(at, next));
      isAtStart = end >= 0;
      at = next;
    }
    offset += chunk.length;
    await sink(Buffer.concat(parts));
  };
}

/** As a kubelet writes it, to the nanosecond. */
function stamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000000Z');
}
