import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { endLocalRay, startLocalRay } from '../../tests/e2e/support/local-ray.ts';
import { quantile } from '../../tests/e2e/upgrades/open-load.ts';
import { type Report, runUpgrades } from '../../tests/e2e/upgrades/run-upgrades.ts';
import { Break, type Strategy, type Version } from '../../tests/e2e/upgrades/versions.ts';
import type { Measurement, Scenario } from '../scenario.ts';
import { plotUpgrades } from '../support/upgrade-plot.ts';

const UPGRADES = 20;
const PER_SECOND = 20;
const PLOT = resolve(import.meta.dirname, '../../docs/upgrades.svg');

/** Upgrades of a service on real Ray that answers requests all the while; what came of it is drawn too. */
export const upgrades: Scenario = {
  name: 'upgrades',
  what: `${UPGRADES} upgrades of a RayService on real Ray under a constant open-loop load through the router, five of them to a broken version`,
  async run({ scale = 1 } = {}): Promise<Measurement> {
    const ray = await startLocalRay();
    try {
      const report = await runUpgrades(ray, {
        first: { name: 'v0', strategy: 'NewCluster' },
        later: versions(Math.max(2, Math.round(UPGRADES * scale))),
        perSecond: PER_SECOND,
        restMs: 4_000,
        deadline: '25s',
        say: (line) => console.log(`  ${line}`),
      });
      if (scale === 1) await writeFile(PLOT, plotUpgrades(report));
      return measured(report);
    } finally {
      await endLocalRay(ray);
    }
  },
};

/** The first half to new clusters at once, the second in steps; every fourth is broken, each in a way of its own. */
function versions(count: number): readonly Version[] {
  const ways = Object.values(Break);
  return Array.from({ length: count }, (_, index) => {
    const strategy: Strategy = index < count / 2 ? 'NewCluster' : 'NewClusterWithIncrementalUpgrade';
    const isBroken = index % 4 === 1;
    return {
      name: `v${index + 1}`,
      strategy,
      ...(isBroken ? { broken: ways[Math.floor(index / 4) % ways.length] } : {}),
    };
  });
}

function measured({ upgrades: done, samples }: Report): Measurement {
  const isDuring = (at: number) => done.some(({ from, to }) => at >= from && at <= to);
  const times = (wanted: boolean) => samples.filter(({ at }) => isDuring(at) === wanted).map(({ ms }) => ms);
  const [steady, during] = [times(false), times(true)];
  const lost = samples.filter(({ text }) => text === undefined);
  for (const { at, why } of lost.slice(0, 10)) console.log(`  lost at ${(at / 1000).toFixed(1)} s: ${why}`);
  const broken = done.filter(({ version }) => version.broken !== undefined);
  const wrong = broken.filter((upgrade) => samples.some(({ text }) => text === upgrade.version.name));
  const figures = {
    upgrades: done.length,
    broken: broken.length,
    requests: samples.length,
    lost: lost.length,
    'steady.p50Ms': quantile(steady, 0.5),
    'steady.p99Ms': quantile(steady, 0.99),
    'during.p50Ms': quantile(during, 0.5),
    'during.p99Ms': quantile(during, 0.99),
    upgradeS: quantile(
      done.map(({ from, to }) => (to - from) / 1000),
      0.5,
    ),
  };
  const ratio = figures['during.p99Ms'] / figures['steady.p99Ms'];
  return {
    summary: `${figures.requests} requests, ${figures.lost} lost in ${done.length} upgrades; p99 ${figures['steady.p99Ms'].toFixed(0)} ms between them, ${figures['during.p99Ms'].toFixed(0)} ms during them (${ratio.toFixed(1)} times)`,
    figures,
    budgets: [
      { what: 'no request is lost', isKept: lost.length === 0 },
      { what: 'no broken version ever answers', isKept: wrong.length === 0 },
      { what: `p99 during upgrades within 3 times of that between them (${ratio.toFixed(1)})`, isKept: ratio <= 3 },
    ],
  };
}
