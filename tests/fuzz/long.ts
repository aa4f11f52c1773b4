/**
 * Compares the embedded server with the real one on random operations, a thousand of a seed:
 * `npm run fuzz:long -- [--operations 10000] [--seed 1] [--lanes 2] [--no-record]`. Ends with 1 and the shortest sequence at the first
 * difference. What it has compared is added to the table in README.md.
 */
import { parseArgs } from 'node:util';
import { startControlPlane } from '../support/control-plane.ts';
import { record } from './coverage.ts';
import { fuzz } from './fuzz.ts';
import { openEngine, openReal } from './server.ts';

const BATCH = { sequences: 20, length: 50 };

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    lanes: { type: 'string', default: '2' },
    record: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const say = (text: string) => void process.stdout.write(`${text}\n`);
const [wanted, first, lanes] = [values.operations, values.seed, values.lanes].map((text) => {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  say(`"${text}" is no whole number.`);
  return process.exit(2);
}) as [number, number, number];

const plane = await startControlPlane();
const [real, engine] = await Promise.all([openReal(plane), openEngine()]);
const started = performance.now();
let [begun, done] = [0, 0];
let finding: string | undefined;

/** Takes one seed after the other; several lanes share the servers, each sequence in a namespace of its own. */
async function lane(): Promise<void> {
  while (begun < wanted && finding === undefined) {
    const seed = first + begun / (BATCH.sequences * BATCH.length);
    begun += BATCH.sequences * BATCH.length;
    const { operations, difference } = await fuzz(real, engine, { seed, ...BATCH });
    done += operations;
    finding ??= difference;
    say(`seed ${seed}: ${done} operations compared after ${((performance.now() - started) / 60_000).toFixed(1)} min`);
  }
}

await Promise.all(Array.from({ length: lanes }, lane));
for (const error of engine.internalErrors) finding ??= `the engine failed: ${String(error)}`;
if (finding !== undefined) {
  say(finding);
  process.exitCode = 1;
}
if (values.record) await record({ operations: done, first, finding });
await Promise.all([real.close(), engine.close()]);
await plane.stop();
