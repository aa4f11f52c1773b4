import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutAtRandom } from '../testing/random-chunks.ts';
import { LineSplitter } from './lines.ts';

function split(chunks: readonly Uint8Array[]): string[] {
  const splitter = new LineSplitter();
  const lines = chunks.flatMap((chunk) => splitter.push(chunk));
  const rest = splitter.end();
  return rest === '' ? lines : [...lines, rest];
}

test('lines come out as they went in, wherever the chunks were cut', () => {
  const values = fc.array(fc.jsonValue(), { maxLength: 8 });
  fc.assert(
    fc.property(values, fc.boolean(), fc.infiniteStream(fc.nat(12)), (written, endsWithNewline, cuts) => {
      const text = written.map((value) => JSON.stringify(value)).join('\n') + (endsWithNewline ? '\n' : '');
      const lines = split(cutAtRandom(Buffer.from(text), cuts));
      expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(written)));
    }),
  );
});

test('a letter of several bytes survives a cut in its middle', () => {
  const bytes = Buffer.from('{"a":"über 🐟"}\n');
  for (let at = 0; at <= bytes.length; at++) {
    expect(split([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(['{"a":"über 🐟"}']);
  }
});

test('empty lines are left out', () => {
  expect(split([Buffer.from('\n\na\n\n'), Buffer.from('\nb')])).toEqual(['a', 'b']);
});
