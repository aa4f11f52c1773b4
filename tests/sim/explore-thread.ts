/** One thread of `parallel.ts`: plays its share of the seeds and tells how far it is. */
import { parentPort, workerData } from 'node:worker_threads';
import { simulate } from './harness.ts';
import type { Report, Share } from './parallel.ts';
import { SCENARIOS } from './scenarios.ts';

const REPORT_EVERY = 20;

// Nobody reads where the errors of a simulation come from, and there are many.
Error.stackTraceLimit = 0;

async function play({ scenario: name, faults, first, count = Number.POSITIVE_INFINITY, step }: Share): Promise<void> {
  const found = SCENARIOS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no scenario "${name}".`);
  const scenario = faults === undefined ? found : { ...found, faults };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is a thread's port, not a window
  const tell = (report: Report) => parentPort?.postMessage(report);
  let untold = 0;
  for (let at = 0; at < count; at += 1) {
    const { violation, seed } = await simulate(scenario, first + at * step);
    if (violation !== undefined) return tell({ failed: seed });
    untold += 1;
    if (untold < REPORT_EVERY && at + 1 < count) continue;
    tell({ played: untold });
    untold = 0;
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other side sends nothing else
await play(workerData as Share);
