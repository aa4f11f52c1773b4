import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestNamespace } from '../support/namespace.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { customScenarios, rayClusters } from './custom-scenarios.ts';
import { builtinScenarios, configMaps, services } from './patch-scenarios.ts';
import { type Outcome, type Step, Twin, type TwinKind } from './patch-twin.ts';
import { type RandomKind, randomKinds, randomSteps } from './random-writes.ts';
import { installCrds } from './ray-api.ts';
import { installWidgets, widgets } from './widget-kind.ts';

const plane = sharedControlPlane();
let namespace = '';
beforeAll(async () => {
  await Promise.all([installCrds(plane), installWidgets(plane)]);
  ({ name: namespace } = await createTestNamespace(plane));
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await plane.request('POST', path, { metadata: { name: 'default' } });
});

let count = 0;

/** A step that came out differently, and how. */
interface Difference {
  readonly step: Step;
  readonly ours: unknown;
  readonly real: unknown;
}

/** Does the steps on the real server and with our functions; stops at the first that comes out differently. */
async function differences(kind: TwinKind, steps: readonly Step[]): Promise<readonly Difference[]> {
  const twin = new Twin(plane, kind, namespace, `twin-${++count}-${namespace}`);
  for (const step of steps) {
    const { real, ours } = await twin.run(step);
    // Checking the result is not the patch's business: what the server refuses for its content, we may have merged all the same.
    if (real.error?.code === 422 && real.error.message.includes('is invalid') && ours.error === undefined) continue;
    const isPartial = real.error === undefined && step.do === 'create' && kind.isFilledIn;
    const compared = isPartial ? { ...ours, object: real.object } : ours;
    if (!isDeepStrictEqual(plain(compared), plain(real))) return [{ step, ours: plain(compared), real: plain(real) }];
  }
  return [];
}

function plain(outcome: Outcome): unknown {
  return JSON.parse(JSON.stringify(outcome));
}

describe('writes by several managers come out as on the real server:', () => {
  test.each(Object.entries({ ...builtinScenarios, ...customScenarios }))('%s', async (_, { kind, steps }) => {
    expect(await differences(kind, steps)).toEqual([]);
  });
});

const everyWay: readonly Step['do'][] = ['update', 'merge', 'apply', 'apply', 'strategic'];
const customWays: readonly Step['do'][] = ['update', 'merge', 'apply', 'apply'];

describe('random writes come out as on the real server:', () => {
  const cases: Readonly<Record<string, readonly [TwinKind, RandomKind, readonly Step['do'][]]>> = {
    'config maps': [configMaps, randomKinds.configMaps, everyWay],
    'config maps by JSON patches': [configMaps, randomKinds.configMaps, ['json']],
    services: [services, randomKinds.services, everyWay],
    widgets: [widgets, randomKinds.widgets, customWays],
    'ray clusters': [rayClusters, randomKinds.rayClusters, customWays],
  };
  test.each(Object.entries(cases))('%s', async (_, [kind, random, ways]) => {
    await fc.assert(
      fc.asyncProperty(randomSteps(random, ways), async (steps) => {
        expect(await differences(kind, steps)).toEqual([]);
      }),
      { seed: 20_260_101, numRuns: 40, endOnFailure: true },
    );
  });
});
