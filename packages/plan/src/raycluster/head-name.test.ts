import { Annotation, type RayClusterStatus } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { headPod, NOW, type ObservedOptions, observed } from '../testing/observed.ts';
import { HEAD_PLACE, headInStatus } from './head-name.ts';
import { rayClusterNeeds } from './needs.ts';
import { planRayCluster } from './plan.ts';

const PROVISIONED = {
  type: 'RayClusterProvisioned',
  status: 'True',
  reason: 'AllPodRunningAndReadyFirstTime',
  message: '',
  lastTransitionTime: '2026-08-01T11:00:00Z',
} as const;
const ONLY_HEAD = { metadata: { annotations: { [Annotation.DisableProvisionedHeadRestart]: 'true' } } };
const had = (podName: string): RayClusterStatus => ({ head: { podName, podIP: '10.0.0.1' } });

function headOf(options: ObservedOptions): string | undefined {
  const pods = planRayCluster(observed(options)).actions.flatMap((action) =>
    action.type === 'create' && action.kind === 'Pod' ? action.objects : [],
  );
  return pods.find(({ metadata }) => metadata?.generateName === 'demo-head-')?.metadata?.name;
}

function statusOf(options: ObservedOptions): RayClusterStatus | undefined {
  return planRayCluster(observed(options)).statusAfter?.({ kind: 'done' });
}

describe('the name of a head', () => {
  it('follows from what is stored, whatever an operator remembers', () => {
    for (const status of [{}, had('demo-head-a')]) {
      const remembered = new Map([['headgroup/head', { uid: 'some-uid', name: 'some-name' }]]);
      expect(headOf({ status, lastHolders: remembered })).toBe(headOf({ status, now: NOW + 1 }));
    }
  });

  it('is another after each head that was seen, after a suspension, and where it is only known that there was one', () => {
    const statuses: readonly RayClusterStatus[] = [
      {},
      had('demo-head-a'),
      had('demo-head-b'),
      { stateTransitionTimes: { suspended: '2026-08-01T11:00:00Z' } },
      { conditions: [PROVISIONED] },
    ];
    const names = statuses.map((status) => headOf({ status }));
    expect(new Set(names).size).toBe(statuses.length);
    expect(names.every((name) => name?.startsWith('demo-head-'))).toBe(true);
  });
});

describe('the status', () => {
  it('keeps the name of a head that is gone until its successor is there, and says that there is none', () => {
    const status = statusOf({ status: had('demo-head-a') });
    expect(status?.head).toEqual({ podName: 'demo-head-a', serviceName: 'demo-head-svc' });
    expect(headInStatus(status)).toBeUndefined();
    const after = statusOf({ status: status ?? {}, pods: [headPod()] });
    expect([after?.head?.podName, headInStatus(after)]).toEqual(['demo-head-abcde', 'demo-head-abcde']);
  });

  it.each<[string, ObservedOptions]>([
    ['is suspended', { spec: { suspend: true } }],
    ['may have no second head', { ...ONLY_HEAD, status: { ...had('demo-head-a'), conditions: [PROVISIONED] } }],
    ['says of no head whether it is there', { ...ONLY_HEAD, gates: { RayClusterStatusConditions: false } }],
  ])('keeps no name where the cluster %s', (_, options) => {
    expect(statusOf({ status: had('demo-head-a'), ...options })?.head?.podName).toBeUndefined();
  });
});

describe('a cluster that gets no second head once it is there as a whole', () => {
  it('gets one before, under another name, and keeps the name of the first until then', () => {
    const status = statusOf({ ...ONLY_HEAD, status: had('demo-head-a') });
    expect(status?.head?.podName).toBe('demo-head-a');
    expect(headInStatus(status)).toBeUndefined();
    expect(headOf({ ...ONLY_HEAD, status: status ?? {} })).not.toBe(headOf(ONLY_HEAD));
  });
});

describe('it is made sure that a head is gone', () => {
  it.each<[boolean, string, ObservedOptions]>([
    [true, 'the status names one', { status: had('demo-head-a') }],
    [true, 'the cluster was provisioned', { status: { conditions: [PROVISIONED] } }],
    [true, 'the cluster is older than the operator', { metadata: { creationTimestamp: '2026-08-01T11:00:00Z' } }],
    [
      true,
      'one was seen that the status does not name',
      { lastHolders: new Map([[HEAD_PLACE, { uid: 'some-uid', name: 'some-name' }]]) },
    ],
    [false, 'there never was one', {}],
    [false, 'its spec is refused', { status: had('demo-head-a'), spec: { headGroupSpec: { template: {} } } }],
    [false, 'there is one', { status: had('demo-head-a'), pods: [headPod()] }],
    [false, 'none is wanted', { status: had('demo-head-a'), spec: { suspend: true } }],
    [
      false,
      'somebody else looks after it',
      { status: had('demo-head-a'), spec: { managedBy: 'kueue.x-k8s.io/multikueue' } },
    ],
    [false, 'its cluster goes', { status: had('a'), metadata: { deletionTimestamp: '2026-08-01T12:00:00Z' } }],
  ])('%s where %s', (isInQuestion, _, options) => {
    const metadata = { creationTimestamp: '2026-08-01T12:00:00Z', ...options.metadata };
    expect(rayClusterNeeds(observed({ ...options, metadata }), NOW).live).toBe(isInQuestion);
  });
});

it('pods of an earlier cluster of the same name are not told of as if they were its own', () => {
  const theirs = headPod({ owner: 'an-earlier-uid', podIP: '10.0.0.7' });
  const status = statusOf({ pods: [theirs] });
  expect(status?.head).toEqual({ serviceName: 'demo-head-svc' });
  expect(status?.conditions?.find(({ type }) => type === 'HeadPodReady')?.reason).toBe('HeadPodNotFound');
  // A label proves nothing.
  expect(statusOf({ pods: [headPod({ owner: undefined })] })?.head).toEqual({ serviceName: 'demo-head-svc' });
});
