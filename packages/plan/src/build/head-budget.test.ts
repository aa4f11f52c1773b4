import { rayCluster } from '@manta/api/testing';
import { expect, it } from 'vitest';
import { buildContext } from '../testing/build-context.ts';
import { buildHeadBudget } from './head-budget.ts';

it('asks for the head in words that hold for pods whose owner Kubernetes cannot scale', () => {
  const context = buildContext({ env: { ENABLE_HEAD_DISRUPTION_BUDGET: 'true' } });
  expect(buildHeadBudget(rayCluster('demo'), context)?.spec).toEqual({
    minAvailable: 1,
    selector: { matchLabels: { 'ray.io/cluster': 'demo', 'ray.io/node-type': 'head' } },
  });
});
