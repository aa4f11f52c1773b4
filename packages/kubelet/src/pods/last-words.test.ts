import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { lastWords } from './last-words.ts';

const folder = mkdtempSync(join(tmpdir(), 'manta-words-'));
const [message, output] = [join(folder, 'message'), join(folder, 'output')];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lines = (count: number) => Array.from({ length: count }, (_, line) => `${line}\n`).join('');

it.each<[string, string, string, string | undefined]>([
  ['the last 4096 bytes of its message', `x${'m'.repeat(4096)}`, 'output', 'm'.repeat(4096)],
  ['the last 2048 bytes of its output', '', `x${'o'.repeat(2048)}`, 'o'.repeat(2048)],
  ['the last 80 lines of its output', '', lines(100), lines(100).slice(lines(20).length)],
  ['nothing where it has said nothing', '', '', undefined],
])('the last words of a container are %s', (_, written, said, expected) => {
  writeFileSync(message, written);
  writeFileSync(output, said);
  expect(lastWords({ message, output, isOutputEnough: true }, 1)).toBe(expected);
});

it('a container whose files are gone has no last words', () => {
  const gone = { message: join(folder, 'no'), output: join(folder, 'no'), isOutputEnough: true };
  expect(lastWords(gone, 1)).toBeUndefined();
});
