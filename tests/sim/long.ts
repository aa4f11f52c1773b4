/**
 * Runs new seeds until it is stopped (Ctrl-C) or something breaks, which it then tells in full.
 *
 *     node tests/sim/long.ts [--scenario toy] [--from 1] [--runs N]
 *     node tests/sim/long.ts --scenario toy --seed 42 [--whole]
 *
 * With `--seed` it runs that one seed and prints what happened; a failure is shrunk first unless `--whole` is given.
 */
import { parseArgs } from 'node:util';
import { describeFailure, simulate } from './harness.ts';
import { SCENARIOS } from './scenarios.ts';

const say = (text: string) => void process.stdout.write(`${text}\n`);

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'toy' },
    seed: { type: 'string' },
    from: { type: 'string' },
    runs: { type: 'string' },
    whole: { type: 'boolean', default: false },
  },
});

const scenario = SCENARIOS.find(({ name }) => name === values.scenario);
if (scenario === undefined) {
  say(`There is no scenario "${values.scenario}". There are: ${SCENARIOS.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

if (values.seed !== undefined) {
  const outcome = await simulate(scenario, Number(values.seed));
  const isShrunk = outcome.violation !== undefined && !values.whole;
  say(isShrunk ? await describeFailure(scenario, outcome) : outcome.log.join('\n'));
  say(outcome.violation === undefined ? 'every promise was kept' : `broken: ${outcome.violation}`);
  process.exit(outcome.violation === undefined ? 0 : 1);
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
/** Seeds that nobody has tried yet, unless told where to begin. */
const first = values.from === undefined ? Date.now() % 1e9 : Number(values.from);
const last = first + (values.runs === undefined ? Number.POSITIVE_INFINITY : Number(values.runs));
let seed = first;
for (; seed < last && !stop.signal.aborted; seed += 1) {
  const outcome = await simulate(scenario, seed);
  if (outcome.violation !== undefined) {
    say(await describeFailure(scenario, outcome));
    process.exit(1);
  }
  if ((seed - first + 1) % 1000 === 0) say(`${seed - first + 1} runs from seed ${first}, every promise was kept`);
}
say(`${seed - first} runs from seed ${first}, every promise was kept`);
