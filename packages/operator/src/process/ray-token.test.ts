import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rayTokenReader } from './ray-token.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manta-token-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('reads the token, and a minute later the one that has taken its place', async () => {
  const clock = new FakeClock();
  const file = join(folder, 'token');
  await writeFile(file, 'first\n');
  const read = rayTokenReader(clock, file);
  expect(await read()).toBe('first');
  await writeFile(file, 'second');
  expect(await read()).toBe('first');
  await clock.advance(60_000);
  expect(await read()).toBe('second');
});

it('has none where nobody names a file: our own account is not shown to anybody', async () => {
  expect(await rayTokenReader(new FakeClock(), undefined)()).toBeUndefined();
});

it('has none where there is no file', async () => {
  expect(await rayTokenReader(new FakeClock(), join(folder, 'none'))()).toBeUndefined();
});
