import { describe, expect, it } from 'vitest';
import { group, headPod, worker } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';
import type { PodRecord } from './observed.ts';

describe('pods that have ended', () => {
  const byPolicy = { DELETE_PODS_BY_RESTART_POLICY: 'true' };
  const spec = { workerGroupSpecs: [group()] };
  const OF_WORKER = ['delete Pod demo-small-worker-0'];
  it.each<[string, Partial<PodRecord>, { readonly usually: readonly string[]; readonly byPolicy: readonly string[] }]>([
    ['failed, may restart', { phase: 'Failed' }, { usually: OF_WORKER, byPolicy: [] }],
    [
      'succeeded, never restarts',
      { phase: 'Succeeded', restartPolicy: 'Never' },
      { usually: OF_WORKER, byPolicy: OF_WORKER },
    ],
    ['Ray ended, may restart', { rayTerminated: 'x' }, { usually: [], byPolicy: [] }],
    [
      'Ray ended, restarts on failure',
      { rayTerminated: 'x', restartPolicy: 'OnFailure' },
      { usually: [], byPolicy: OF_WORKER },
    ],
    [
      'Ray ended, never restarts',
      { rayTerminated: 'x', restartPolicy: 'Never' },
      { usually: OF_WORKER, byPolicy: OF_WORKER },
    ],
    ['failed, is being deleted', { phase: 'Failed', isTerminating: true }, { usually: [], byPolicy: [] }],
    [
      'Ray ended, never restarts, is being deleted',
      { rayTerminated: 'x', restartPolicy: 'Never', isTerminating: true },
      { usually: [], byPolicy: [] },
    ],
    ['Ray runs, never restarts', { restartPolicy: 'Never' }, { usually: [], byPolicy: [] }],
  ])('%s', (_, fields, expected) => {
    const pods = [headPod(), worker(0, fields)];
    expect({ usually: plan({ spec, pods }), byPolicy: plan({ spec, pods, env: byPolicy }) }).toEqual(expected);
    const heads = [headPod({ name: 'demo-small-worker-0', ...fields })];
    expect({ usually: plan({ pods: heads }), byPolicy: plan({ pods: heads, env: byPolicy }) }).toEqual(expected);
  });
});
