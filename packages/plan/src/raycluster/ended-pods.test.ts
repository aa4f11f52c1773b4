import { describe, expect, it } from 'vitest';
import { group, headPod, worker } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';
import { explainPod, reasonToDelete } from './ended-pods.ts';
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

describe('the decision about a pod, for the log', () => {
  it.each<[Partial<PodRecord>, boolean, RegExp]>([
    [{ phase: 'Failed' }, true, /status is Failed which is a terminal state/],
    [{ rayTerminated: 'exit 1', restartPolicy: 'Never' }, true, /terminated status is exit 1.*restart policy Never/],
    [{ isTerminating: true, phase: 'Failed' }, false, /is being deleted already/],
    [{ phase: 'Pending' }, false, /has not started: it is Pending/],
    [{}, false, /has not terminated/],
    [{ rayTerminated: 'exit 1', restartPolicy: 'Always' }, false, /restarts the container.*Always/],
  ])('%j: shouldDelete is %s, with the reason', (fields, shouldDelete, reason) => {
    const pod = worker(0, fields);
    const rule = { deletesByRestartPolicy: false };
    const { name, phase, restartPolicy, rayTerminated } = pod;
    expect(explainPod(pod, rule)).toEqual({
      pod: name,
      shouldDelete,
      reason: expect.stringMatching(reason),
      phase,
      restartPolicy,
      rayTerminated,
    });
    expect(reasonToDelete(pod, rule) !== undefined).toBe(shouldDelete);
  });

  it('names the restart policy as the reason if the installation decides by it alone', () => {
    const pod = worker(0, { phase: 'Failed', restartPolicy: 'Always' });
    expect(explainPod(pod, { deletesByRestartPolicy: true })).toMatchObject({
      shouldDelete: false,
      reason:
        'The restart policy of the worker Pod demo-small-worker-0 is Always: the kubelet restarts its containers.',
    });
  });
});
