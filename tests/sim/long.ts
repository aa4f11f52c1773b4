/**
 * Runs new seeds until it is stopped (Ctrl-C) or something breaks, which it then tells in full.
 *
 *     node tests/sim/long.ts [--scenario toy] [--faults crash,cut] [--from 1] [--runs N]
 *     node tests/sim/long.ts --scenario toy [--faults crash,cut] --seed 42 [--whole]
 *
 * With `--seed` it runs that one seed and prints what happened; a failure is shrunk first unless `--whole` is given.
 */
import { parseArgs } from 'node:util';
import { FAULTS, type FaultName } from './faults.ts';
import { describeFailure, simulate } from './harness.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'toy' },
    faults: { type: 'string' },
    seed: { type: 'string' },
    from: { type: 'string' },
    runs: { type: 'string' },
    whole: { type: 'boolean', default: false },
  },
});

const say = (text: string) => void process.stdout.write(`${text}\n`);

function refuse(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}

function numberOf(flag: 'seed' | 'from' | 'runs'): number | undefined {
  const text = values[flag];
  if (text !== undefined && !/^\d+$/.test(text)) refuse(`--${flag} takes a whole number, not "${text}".`);
  return text === undefined ? undefined : Number(text);
}

function isFault(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name);
}

function chosenScenario(): Scenario {
  const found = SCENARIOS.find(({ name }) => name === values.scenario);
  const known = SCENARIOS.map(({ name }) => name).join(', ');
  if (found === undefined) return refuse(`There is no scenario "${values.scenario}". There are: ${known}.`);
  const asked = values.faults?.split(',');
  if (asked === undefined) return found;
  const faults = asked.filter(isFault);
  if (faults.length === asked.length) return { ...found, faults };
  return refuse(`--faults knows only: ${Object.keys(FAULTS).join(', ')}.`);
}

async function replay(scenario: Scenario, seed: number): Promise<boolean> {
  const outcome = await simulate(scenario, seed);
  const isShrunk = outcome.violation !== undefined && !values.whole;
  say(isShrunk ? await describeFailure(scenario, outcome) : outcome.log.join('\n'));
  say(outcome.violation === undefined ? 'every promise was kept' : `broken: ${outcome.violation}`);
  return outcome.violation === undefined;
}

async function goOn(scenario: Scenario, first: number, runs: number): Promise<boolean> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  let done = 0;
  const kept = () => say(`${done} runs from seed ${first}, every promise was kept`);
  while (done < runs && !stop.signal.aborted) {
    const outcome = await simulate(scenario, first + done);
    if (outcome.violation !== undefined) {
      say(await describeFailure(scenario, outcome));
      return false;
    }
    done += 1;
    if (done % 1_000 === 0) kept();
  }
  kept();
  return true;
}

const scenario = chosenScenario();
const seed = numberOf('seed');
/** Seeds that nobody has tried yet, unless told where to begin. */
const first = numberOf('from') ?? Date.now() % 1e9;
const isGood = await (seed === undefined
  ? goOn(scenario, first, numberOf('runs') ?? Number.POSITIVE_INFINITY)
  : replay(scenario, seed));
process.exitCode = isGood ? 0 : 1;
