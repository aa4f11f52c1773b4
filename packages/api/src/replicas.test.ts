import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { desiredPods, desiredReplicas, desiredWorkerPods, maxWorkerPods, minWorkerPods } from './replicas.ts';

describe('replicas of a group', () => {
  it.each([
    ['as asked for', { replicas: 2, minReplicas: 0, maxReplicas: 5 }, 2],
    ['raised to the lower bound', { replicas: 1, minReplicas: 3, maxReplicas: 5 }, 3],
    ['cut to the upper bound', { replicas: 9, minReplicas: 3, maxReplicas: 5 }, 5],
    ['the lower bound where none are asked for', { minReplicas: 3, maxReplicas: 5 }, 3],
    ['none without a word', {}, 0],
    ['none while suspended', { replicas: 2, minReplicas: 2, suspend: true }, 0],
  ])('are %s', (_title, group, replicas) => {
    expect(desiredReplicas(group)).toBe(replicas);
  });

  it('stay between their bounds', () => {
    const count = fc.nat({ max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(count, count, count, (replicas, a, b) => {
        const [minReplicas, maxReplicas] = [Math.min(a, b), Math.max(a, b)];
        const desired = desiredReplicas({ replicas, minReplicas, maxReplicas });
        expect(desired).toBeGreaterThanOrEqual(minReplicas);
        expect(desired).toBeLessThanOrEqual(maxReplicas);
      }),
    );
  });

  it.each([
    [4, 8],
    [0, 0],
    [-1, 0],
    [undefined, 2],
  ])('with %s hosts each make %s pods', (numOfHosts, pods) => {
    expect(
      desiredPods({ replicas: 2, minReplicas: 0, maxReplicas: 5, ...(numOfHosts === undefined ? {} : { numOfHosts }) }),
    ).toBe(pods);
  });
});

describe('worker pods of a cluster', () => {
  const spec = {
    workerGroupSpecs: [
      { replicas: 1, minReplicas: 1, maxReplicas: 3, numOfHosts: 2 },
      { replicas: 5, minReplicas: 2, maxReplicas: 4 },
      { replicas: 7, minReplicas: 7, maxReplicas: 7, suspend: true },
    ],
  };

  it('are summed over the groups that are not suspended', () => {
    expect([desiredWorkerPods(spec), minWorkerPods(spec), maxWorkerPods(spec)]).toEqual([6, 4, 10]);
  });

  it('never count beyond an int32', () => {
    expect(maxWorkerPods({ workerGroupSpecs: [{ maxReplicas: 2147483647, numOfHosts: 4 }] })).toBe(2147483647);
    expect(maxWorkerPods({ workerGroupSpecs: [{}, {}] })).toBe(2147483647);
  });
});
