/**
 * Compares the embedded server with the real one on random operations for as long as one likes:
 * `node tests/fuzz/long.ts [operations] [first seed]`. Ends with 1 and the shortest sequence at the first difference.
 */
import { startControlPlane } from '../support/control-plane.ts';
import { fuzz } from './fuzz.ts';
import { openEngine, openReal } from './server.ts';

const say = (text: string) => void process.stdout.write(`${text}\n`);
const wanted = Number(process.argv[2] ?? 10_000);
const firstSeed = Number(process.argv[3] ?? Date.now() % 1_000_000_000);
const batch = { sequences: 20, length: 50 };

const plane = await startControlPlane();
const [real, engine] = await Promise.all([openReal(plane), openEngine()]);
let done = 0;
for (let seed = firstSeed; done < wanted; seed++) {
  const { operations, difference } = await fuzz(real, engine, { seed, ...batch });
  done += operations;
  say(`seed ${seed}: ${done} operations compared`);
  if (difference !== undefined) {
    say(difference);
    process.exitCode = 1;
    break;
  }
}
for (const error of engine.internalErrors) {
  say(String(error));
  process.exitCode = 1;
}
await Promise.all([real.close(), engine.close()]);
await plane.stop();
