import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLocalRay } from './support/local-ray.ts';
import { type LocalRayApart, startOperatorApart } from './support/operator-apart.ts';
import { type Report, runUpgrades } from './upgrades/run-upgrades.ts';

describe('a RayService on real Ray under a constant load, upgraded to a new cluster and then in steps to a broken version, each time by an operator that is killed in the middle of it,', () => {
  let ray: LocalRayApart;
  let report: Report;

  beforeAll(async () => {
    ray = await startOperatorApart();
    report = await runUpgrades(ray, {
      first: { name: 'v1', strategy: 'NewCluster' },
      later: [
        { name: 'v2', strategy: 'NewCluster' },
        { name: 'v3', strategy: 'NewClusterWithIncrementalUpgrade', broken: 'start' },
      ],
      perSecond: 20,
      restMs: 2_000,
      deadline: '25s',
      midway: () => ray.killOperator(),
    });
  });
  afterAll(() => endLocalRay(ray));

  it('loses no request', () => {
    expect(report.samples.filter(({ text }) => text === undefined)).toEqual([]);
    expect(report.samples.length).toBeGreaterThan(200);
  });

  it('answers by the old version, then by the new one, never by the broken one', () => {
    const [upgrade] = report.upgrades;
    expect(new Set(report.samples.map(({ text }) => text))).toEqual(new Set(['v1', 'v2']));
    const before = report.samples.filter(({ at }) => at < (upgrade?.from ?? 0));
    // The router hears of new endpoints a moment after the service has said that all is done.
    const after = report.samples.filter(({ at }) => at > (upgrade?.to ?? 0) + 1000);
    expect(after.length).toBeGreaterThan(0);
    expect(new Set(before.map(({ text }) => text))).toEqual(new Set(['v1']));
    expect(new Set(after.map(({ text }) => text))).toEqual(new Set(['v2']));
  });

  it('goes back to the cluster that served when the broken version makes no progress', () => {
    const [good, broken] = report.upgrades;
    expect(broken?.serving).toBe(good?.serving);
  });
});
