/**
 * Plays new seeds on all cores until it is stopped (Ctrl-C), its time is over or something breaks, which it then tells in full. What it
 * has played is added to the table in docs/simulation.md.
 *
 *     node tests/sim/long.ts [--scenario raycluster] [--faults crash,cut] [--from 1] [--runs N] [--minutes N] [--no-record]
 *     node tests/sim/long.ts --scenario toy [--faults crash,cut] --seed 42 [--whole]
 *
 *     node tests/sim/long.ts --scenario preview [--from 1] [--runs 1000]
 *
 * `--scenario preview` edits random objects and compares what preview announced with what the operator then did. With `--seed` it plays that one seed and prints what happened; a failure is shrunk first unless `--whole` is given.
 */
import { parseArgs } from 'node:util';
import { record } from './coverage.ts';
import { FAULTS, type FaultName } from './faults.ts';
import { describeFailure, simulate } from './harness.ts';
import { exploreInParallel } from './parallel.ts';
import { playEdits } from './preview/long.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'raycluster' },
    faults: { type: 'string' },
    seed: { type: 'string' },
    from: { type: 'string' },
    runs: { type: 'string' },
    minutes: { type: 'string' },
    threads: { type: 'string' },
    record: { type: 'boolean', default: true },
    whole: { type: 'boolean', default: false },
  },
  allowNegative: true,
});

const say = (text: string) => void process.stdout.write(`${text}\n`);

function refuse(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}

function numberOf(flag: 'seed' | 'from' | 'runs' | 'minutes' | 'threads'): number | undefined {
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

async function goOn(scenario: Scenario, first: number): Promise<boolean> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const minutes = numberOf('minutes');
  const timer = minutes === undefined ? undefined : setTimeout(() => stop.abort(), minutes * 60_000);
  let told = 0;
  const { played, failed } = await exploreInParallel({
    scenario: scenario.name,
    faults: scenario.faults,
    first,
    count: numberOf('runs'),
    threads: numberOf('threads'),
    stop: stop.signal,
    progress: (count) => {
      if (count - told < 1_000) return;
      told = count;
      say(`${count} schedules from seed ${first}, every promise was kept`);
    },
  });
  clearTimeout(timer);
  const outcome = failed === undefined ? undefined : await simulate(scenario, failed);
  say(`${played} schedules from seed ${first}${outcome === undefined ? ', every promise was kept' : ''}`);
  if (values.record) await record({ scenario: scenario.name, first, played, finding: outcome?.violation });
  if (outcome !== undefined) say(await describeFailure(scenario, outcome));
  return outcome === undefined;
}

/** Seeds that nobody has tried yet, unless told where to begin. */
const first = numberOf('from') ?? Date.now() % 1e9;

async function play(): Promise<boolean> {
  if (values.scenario === 'preview') {
    const edits = numberOf('runs') ?? 1_000;
    const wrong = await playEdits(first, edits, say);
    say(`${edits} edits from seed ${first}, ${wrong.length} previews were wrong`);
    return wrong.length === 0;
  }
  const scenario = chosenScenario();
  const seed = numberOf('seed');
  return await (seed === undefined ? goOn(scenario, first) : replay(scenario, seed));
}

process.exitCode = (await play()) ? 0 : 1;
