import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HistoryStore } from '@manta/history';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'manta-history-kill-'));
afterAll(() => rmSync(folder, { recursive: true }));

const KILLS = 10;

/** Starts a writer that prints the number of each version once it is acknowledged, and kills it after a while. */
async function killedWriter(file: string, first: number, afterMs: number): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'support/history-writer.ts'), file, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  const begun = once(child.stdout, 'data');
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await begun;
  await sleep(afterMs);
  child.kill('SIGKILL');
  await once(child, 'close');
  return Number(printed.slice(0, printed.lastIndexOf('\n')).split('\n').at(-1));
}

describe('the store of history', () => {
  it('loses no acknowledged version and repeats none when its process is killed at any moment', async () => {
    const file = join(folder, 'history.db');
    let next = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const acknowledged = await killedWriter(file, next, Math.random() * 40);
      const store = new HistoryStore(file);
      const numbers = store.versions('job').map(({ document }) => Number(document['number']));
      store.close();
      expect(numbers).toEqual(numbers.map((_, i) => i));
      expect(numbers.length).toBeGreaterThan(acknowledged);
      // The next writer repeats the last version, as after an answer that was lost.
      next = Math.max(0, numbers.length - 1);
    }
    expect(next).toBeGreaterThan(KILLS);
  });
});
