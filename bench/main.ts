import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Measurement, Scenario } from './scenario.ts';
import { engineIdle } from './scenarios/engine-idle.ts';
import { engineLoad } from './scenarios/engine-load.ts';
import { engineStart } from './scenarios/engine-start.ts';
import { patches } from './scenarios/patches.ts';
import { idle, restart, thousandClusters, wide } from './scenarios/ray-clusters.ts';
import { hangingHeads, slowHeads, thousandJobs } from './scenarios/ray-jobs.ts';
import { hundredServices } from './scenarios/ray-services.ts';
import { router } from './scenarios/router.ts';
import { start } from './scenarios/start.ts';
import { sync } from './scenarios/sync.ts';
import { upgrades } from './scenarios/upgrades.ts';
import { webhooks } from './scenarios/webhooks.ts';

const SCENARIOS: readonly Scenario[] = [
  patches,
  sync,
  start,
  engineStart,
  engineIdle,
  engineLoad,
  router,
  webhooks,
  upgrades,
  thousandClusters,
  wide,
  restart,
  idle,
  thousandJobs,
  hundredServices,
  hangingHeads,
  slowHeads,
];
const RESULTS = resolve(import.meta.dirname, 'results');

async function main(): Promise<number> {
  const { values, positionals: wanted } = parseArgs({
    allowPositionals: true,
    options: { scale: { type: 'string', default: '1' }, help: { type: 'boolean', default: false } },
  });
  const scale = Number(values.scale);
  const unknown = wanted.find((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown !== undefined || values.help || !(scale > 0)) {
    const list = SCENARIOS.map(({ name, what }) => `  ${name.padEnd(14)}${what}`).join('\n');
    console.error(
      `${unknown === undefined ? '' : `no scenario is called ${unknown}\n`}npm run bench [-- scenario … [--scale 0.1]]\n\n${list}`,
    );
    return unknown === undefined ? 0 : 1;
  }
  let areBudgetsKept = true;
  for (const scenario of SCENARIOS) {
    if (wanted.length > 0 && !wanted.includes(scenario.name)) continue;
    console.log(`${scenario.name}: ${scenario.what} …`);
    const measurement = await scenario.run({ scale });
    // What is scaled down is a look, not a measurement.
    if (scale === 1) await save(scenario, measurement);
    else console.log(JSON.stringify(measurement.figures, null, 1));
    console.log(`${scenario.name}: ${measurement.summary}`);
    for (const { what, isKept } of measurement.budgets) {
      console.log(`  ${isKept ? 'kept  ' : 'BROKEN'} ${what}`);
      areBudgetsKept &&= isKept;
    }
  }
  return areBudgetsKept ? 0 : 1;
}

async function save(scenario: Scenario, measurement: Measurement): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  const machine = {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? '',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  const content = {
    scenario: scenario.name,
    what: scenario.what,
    at: new Date().toISOString(),
    machine,
    ...measurement,
  };
  await writeFile(resolve(RESULTS, `${scenario.name}.json`), `${JSON.stringify(content, null, 2)}\n`);
}

process.exitCode = await main();
