import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { lastLinesFrom, lineFrom } from './line-offsets.ts';

const folder = mkdtempSync(join(tmpdir(), 'manta-lines-'));
const path = join(folder, 'file');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lines, some of them longer than what is read at a time, with or without an end of the last. */
const contents = fc
  .tuple(
    fc.array(fc.oneof(fc.integer({ max: 20, min: 0 }), fc.constantFrom(65_535, 65_536, 140_000)), { maxLength: 6 }),
    fc.boolean(),
  )
  .map(([sizes, isEnded]) => sizes.map((size) => 'x'.repeat(size)).join('\n') + (isEnded ? '\n' : ''));

describe('in a file of lines', () => {
  it('the last ones begin where they would if all was read', () => {
    fc.assert(
      fc.property(contents, fc.nat(7), (text, lines) => {
        writeFileSync(path, text);
        const all = text.split(/(?<=\n)/);
        const tail = lines === 0 ? '' : all.slice(-lines).join('');
        expect(text.length - lastLinesFrom(path, lines)).toBe(tail.length);
      }),
      { numRuns: 60 },
    );
  });

  it('the first that does not begin before an offset is found', () => {
    fc.assert(
      fc.property(contents, fc.double({ min: 0, max: 1, noNaN: true }), (text, part) => {
        writeFileSync(path, text);
        const offset = Math.floor(part * text.length);
        const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
        expect(lineFrom(path, offset)).toBe(starts.find((start) => start >= offset) ?? text.length);
      }),
      { numRuns: 60 },
    );
  });
});
