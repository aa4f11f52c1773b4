import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutputTimes } from './output-times.ts';

let folder: string;
let clock: FakeClock;
let times: OutputTimes;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-times-'));
  clock = new FakeClock(0);
  times = new OutputTimes(join(folder, 'output'), clock);
});
afterEach(() => {
  times.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('what a container says', () => {
  it('is dated when it is said, though nobody asks', async () => {
    await clock.advance(1000);
    appendFileSync(times.path, 'one\n');
    // The timer that keeps it from looking too often shows that it has looked.
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    await clock.advance(1000);
    expect([times.at(0), times.at(3)]).toEqual([1000, 1000]);
    expect([times.since(1000), times.since(1001)]).toEqual([0, 4]);
  });

  it('is dated when it is asked for at the latest, and when it ends', async () => {
    appendFileSync(times.path, 'one\n');
    expect(times.at(0)).toBe(0);
    await clock.advance(5000);
    appendFileSync(times.path, 'two\n');
    times.close();
    await clock.advance(5000);
    expect([times.at(0), times.at(4)]).toEqual([0, 5000]);
  });

  it('has dates that are less exact where there are very many, and still in order', async () => {
    for (let ms = 1; ms <= 9000; ms += 1) {
      await clock.advance(0.001);
      appendFileSync(times.path, 'x');
      times.since(0);
    }
    const dates = [0, 100, 4500, 8999].map((offset) => times.at(offset));
    expect(dates).toEqual(dates.toSorted((a, b) => a - b));
    expect(times.at(8999)).toBeCloseTo(9, 3);
  });
});
