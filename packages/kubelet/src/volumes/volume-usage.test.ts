import { linkSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@manta/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { whyTooLarge } from './volume-usage.ts';

const pod: Pod = { spec: { containers: [], volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] } };
const TOO_LARGE = 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ';

let folder: string;
let volume: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-usage-'));
  volume = join(folder, 'volumes', 'v');
  mkdirSync(join(volume, 'a', 'b'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, bytes: number) => writeFileSync(join(volume, path), Buffer.alloc(bytes, 1));

it('all files of a volume count, wherever they are in it', async () => {
  write('here', 600_000);
  expect(await whyTooLarge(pod, folder)).toBeUndefined();
  write('a/b/there', 600_000);
  expect(await whyTooLarge(pod, folder)).toBe(TOO_LARGE);
});

it('a file with two names counts once', async () => {
  write('one', 600_000);
  linkSync(join(volume, 'one'), join(volume, 'a', 'two'));
  expect(await whyTooLarge(pod, folder)).toBeUndefined();
});

it('a folder that goes while it is looked for does not hide the others', async () => {
  write('much', 2_000_000);
  const names = Array.from({ length: 500 }, (_, each) => join(volume, `folder-${each}`));
  for (const name of names) mkdirSync(name);
  const asked = whyTooLarge(pod, folder);
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  for (const name of names.slice(400)) rmdirSync(name);
  expect(await asked).toBe(TOO_LARGE);
});
