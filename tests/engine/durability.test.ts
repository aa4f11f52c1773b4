import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '@manta/runtime/testing';
import { startEngineChild } from './support/engine-child.ts';
import { Ledger, readAll } from './support/ledger.ts';

const KILLS = 200;
const LANES = 4;
const WRITERS = 4;
const MAX_WRITES = 40;

const folder = mkdtempSync(join(tmpdir(), 'manta-durability-'));
const program = join(folder, 'server.mjs');

beforeAll(async () => {
  // One file starts several times faster than the sources do, and it starts 200 times.
  await build({
    entryPoints: [resolve(import.meta.dirname, 'support/durable-server.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts an engine on the same directory again and again, kills it amid writes, and compares what is left with what it had acknowledged. */
async function killAgainAndAgain(
  lane: number,
): Promise<{ readonly wrong: readonly string[]; readonly writes: number }> {
  const random = seededRandom(lane + 1);
  const ledgers = Array.from({ length: WRITERS }, (_, i) => new Ledger(`w${i}`, random));
  const dataDir = join(folder, `data-${lane}`);
  const wrong: string[] = [];
  let revision = 0;
  for (let round = 0; round <= KILLS / LANES; round += 1) {
    const engine = await startEngineChild(program, dataDir);
    const found = await readAll(engine.request);
    const heard = Math.max(revision, ...ledgers.map(({ highest }) => highest));
    if (found.revision < heard) wrong.push(`round ${round}: revision ${found.revision} after ${heard}`);
    revision = found.revision;
    for (const ledger of ledgers) {
      wrong.push(...ledger.check(found.stored).map((line) => `round ${round}: ${line}`));
      ledger.highest = heard;
    }
    const writing = Promise.all(ledgers.map((ledger) => ledger.writeUntilCut(engine.request)));
    // After so many answers, and a little later: at any moment of a write's way through the server.
    const goal = writesOf(ledgers) + Math.floor(random() * MAX_WRITES);
    while (writesOf(ledgers) < goal) await sleep(1);
    await sleep(random() * 3);
    await engine.kill();
    await writing;
  }
  return { wrong, writes: writesOf(ledgers) };
}

function writesOf(ledgers: readonly Ledger[]): number {
  return ledgers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
}

describe('a data directory', () => {
  it(`loses no acknowledged write, and takes no revision back, over ${KILLS} kills at random moments`, async () => {
    const lanes = await Promise.all(Array.from({ length: LANES }, (_, lane) => killAgainAndAgain(lane)));
    expect(lanes.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(lanes.reduce((sum, { writes }) => sum + writes, 0)).toBeGreaterThan((KILLS * MAX_WRITES) / 3);
  }, 600_000);
});
