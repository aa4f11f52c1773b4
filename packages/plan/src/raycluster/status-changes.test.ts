import { describe, expect, it } from 'vitest';
import { isUrgentChange } from './status-changes.ts';

const condition = (type: string, status: 'True' | 'False', reason = 'x') => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '',
});

describe('isUrgentChange()', () => {
  it.each<[string, boolean, Parameters<typeof isUrgentChange>]>([
    ['counters of a new cluster', false, [undefined, { availableWorkerReplicas: 1 }]],
    [
      'the first conditions, all false',
      false,
      [undefined, { conditions: [condition('RayClusterProvisioned', 'False')] }],
    ],
    ['a head that became ready', false, [{}, { conditions: [condition('HeadPodReady', 'True')] }]],
    ['a new state', true, [{}, { state: 'ready' }]],
    ['a condition that became true', true, [{}, { conditions: [condition('RayClusterProvisioned', 'True')] }]],
    ['a failure that is over', true, [{ conditions: [condition('ReplicaFailure', 'True')] }, { conditions: [] }]],
    [
      'another failure',
      true,
      [
        { conditions: [condition('ReplicaFailure', 'True', 'a')] },
        { conditions: [condition('ReplicaFailure', 'True', 'b')] },
      ],
    ],
  ])('%s: %s', (_, expected, [before, after]) => {
    expect(isUrgentChange(before, after)).toBe(expected);
  });
});
