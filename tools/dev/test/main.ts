import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { summarize } from './summary.ts';
import type { Tier, TierResult } from './tier.ts';
import { tiers } from './tiers.ts';

const HELP = `npm test [-- options]

Runs every test that this machine can run and says what it left out. The last line is "N passed, N failed".

  --only TIER   run one tier (types, types-web, lint, format, audit, unit, conformance, security, console, engine, sim, reference, real, ray, e2e, oracle); may be given several times
  --help        this text

MANTA_REQUIRE=all makes everything that is left out or skipped a failure, as CI does.
`;

async function runTier(tier: Tier): Promise<TierResult> {
  console.log(`\n── ${tier.name}: ${tier.what}`);
  const started = performance.now();
  const reason = await tier.missing?.();
  if (reason !== undefined) return { kind: 'left-out', tier: tier.name, what: tier.what, reason };
  const outcome = await tier.run();
  return { kind: 'ran', tier: tier.name, outcome, seconds: (performance.now() - started) / 1000 };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const root = resolve(import.meta.dirname, '../../..');
  process.chdir(root);
  const all = tiers(root);
  const chosen = all.filter((tier) => values.only?.includes(tier.name) ?? true);
  if (chosen.length === 0) {
    console.error(`no such tier: ${values.only?.join(', ')}. There are ${all.map((tier) => tier.name).join(', ')}.`);
    process.exitCode = 1;
    return;
  }
  const results: TierResult[] = [];
  for (const tier of chosen) results.push(await runTier(tier));
  const summary = summarize(results, process.env['MANTA_REQUIRE'] === 'all');
  for (const line of summary.lines) console.log(line);
  process.exitCode = summary.isSuccess ? 0 : 1;
}

await main();
