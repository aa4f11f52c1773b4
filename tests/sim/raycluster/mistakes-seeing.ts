import type { KubeObject, Pod, RayCluster, RayClusterSpec } from '@manta/api';
import { Label } from '@manta/api';
import type { KubeClient } from '@manta/kube';
import { type Lens, seeingThrough } from './client-lens.ts';
import type { Making } from './making.ts';

const seePods = (lens: Lens) => (inner: KubeClient) => seeingThrough(inner, 'pods', lens);
const seeClusters = (lens: Lens) => (inner: KubeClient) => seeingThrough(inner, 'rayclusters', lens);
const seeJobs = (lens: Lens) => (inner: KubeClient) => seeingThrough(inner, 'jobs', lens);

/** Mistakes of operators that see something else than there is. */
export const SEEING = {
  'ignores-terminating': {
    says: 'takes pods that are on their way out for gone',
    client: seePods((event) =>
      event.object.metadata?.deletionTimestamp === undefined ? event : { ...event, type: 'DELETED' },
    ),
  },
  'counts-terminating': {
    says: 'takes pods that are on their way out for sound ones',
    client: seePods((event) => {
      const { deletionTimestamp: _, ...metadata } = event.object.metadata ?? {};
      return { ...event, object: { ...event.object, metadata } };
    }),
  },
  'counts-deleted-as-failed': {
    says: 'takes pods that end because they were deleted for pods that failed by themselves',
    client: seePods((event) => {
      const { deletionTimestamp: _, ...metadata } = event.object.metadata ?? {};
      return phaseOf(event.object) === 'Failed' ? { ...event, object: { ...event.object, metadata } } : event;
    }),
  },
  impatient: {
    says: 'takes pods that have not started yet for failed ones',
    client: seePods((event) => (phaseOf(event.object) === 'Pending' ? withPhase(event, 'Failed') : event)),
  },
  'blind-to-failure': {
    says: 'takes pods that have failed for running ones',
    client: seePods((event) => (phaseOf(event.object) === 'Failed' ? withPhase(event, 'Running') : event)),
  },
  'contagious-failure': {
    says: 'takes sound workers for failed ones as soon as they are not ready for a moment',
    client: seePods((event) => (isUnready(event.object) ? withPhase(event, 'Failed') : event)),
  },
  'sees-readiness-early': {
    says: 'takes every pod for ready',
    client: seePods((event) => ({ ...event, object: readyObject(event.object) })),
  },
  'forgets-deletions': {
    says: 'does not hear of pods that go',
    client: seePods((event) => (event.type === 'DELETED' ? undefined : event)),
  },
  'never-drains': {
    says: 'does not see pods of groups other than the first',
    client: seePods((event) => {
      const group = event.object.metadata?.labels?.[Label.Group];
      return group === 'y' || group === 'z' ? undefined : event;
    }),
  },
  'blind-to-workers': {
    says: 'does not see workers, and asks for them again',
    client: seePods((event) => (event.object.metadata?.labels?.[Label.NodeType] === 'worker' ? undefined : event)),
  },
  'blind-to-heads': {
    says: 'does not see heads until they are ready, and asks for them again',
    client: seePods((event) => (isHead(event.object) && isUnready(event.object) ? undefined : event)),
  },
  adopts: {
    says: 'takes pods of others for its own',
    client: (inner) => {
      let owners: OwnerReferences;
      return seeingThrough(inner, 'pods', (event) => {
        const { metadata } = event.object;
        if (metadata?.name !== 'lookalike') {
          if (metadata?.labels?.[Label.Cluster] === 'a') owners = metadata.ownerReferences ?? owners;
          return event;
        }
        return { ...event, object: ownedBy(ofCluster(event.object, 'a'), owners) };
      });
    },
  },
  'forgets-its-hash': {
    says: 'does not recognise the heads that it has stamped',
    client: seePods((event) => ({ ...event, object: withoutHash(event.object) })),
  },
  'ignores-names': {
    says: 'does not read which workers the autoscaler has named',
    client: seeSpecs((spec) => ({
      ...spec,
      workerGroupSpecs: (spec.workerGroupSpecs ?? []).map((group) => ({ ...group, scaleStrategy: {} })),
    })),
  },
  'ignores-suspension': {
    says: 'does not read that a cluster is to be suspended',
    client: seeSpecs((spec) => ({ ...spec, suspend: false })),
  },
  'ignores-group-suspension': {
    says: 'does not read that a group is to be suspended',
    client: seeSpecs((spec) => ({
      ...spec,
      workerGroupSpecs: (spec.workerGroupSpecs ?? []).map((group) => ({ ...group, suspend: false })),
    })),
  },
  'ignores-recreate': {
    says: 'does not read that a changed cluster is to be made anew',
    client: seeSpecs((spec) => ({ ...spec, upgradeStrategy: {} })),
  },
  'ignores-the-autoscaler': {
    says: 'does not read that the autoscaler is in charge',
    client: seeSpecs((spec) => ({ ...spec, enableInTreeAutoscaling: false })),
  },
  'ignores-bounds': {
    says: 'makes one worker more than it is asked for',
    client: seeSpecs((spec) => ({
      ...spec,
      workerGroupSpecs: (spec.workerGroupSpecs ?? []).map((group) => ({
        ...group,
        replicas: (group.replicas ?? 0) + 1,
      })),
    })),
  },
  'forgets-suspending': {
    says: 'forgets that a suspension has begun',
    client: seeClusters((event) => {
      const { status } = event.object as RayCluster;
      const conditions = status?.conditions?.filter(({ type }) => !type.includes('Suspend'));
      return { ...event, object: { ...event.object, status: { ...status, conditions } } as KubeObject };
    }),
  },
  'believes-jobs-early': {
    says: 'takes a cleanup that has begun for done',
    client: seeJobs((event) => {
      const conditions = [{ type: 'Complete', status: 'True' }];
      return { ...event, object: { ...event.object, status: { conditions } } as KubeObject };
    }),
  },
} as const satisfies Readonly<Record<string, Making>>;

function seeSpecs(change: (spec: RayClusterSpec) => RayClusterSpec): (inner: KubeClient) => KubeClient {
  return seeClusters((event) => {
    const { spec } = event.object as RayCluster;
    return spec === undefined ? event : { ...event, object: { ...event.object, spec: change(spec) } as KubeObject };
  });
}

type Seen = Parameters<Lens>[0];

function phaseOf(object: KubeObject): string | undefined {
  return (object as Pod).status?.phase;
}

function withPhase(event: Seen, phase: string): Seen {
  const { status } = event.object as Pod;
  return { ...event, object: { ...event.object, status: { ...status, phase } } as KubeObject };
}

function isHead({ metadata }: KubeObject): boolean {
  return metadata?.labels?.[Label.NodeType] === 'head';
}

function isUnready(object: KubeObject): boolean {
  const { conditions = [] } = (object as Pod).status ?? {};
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'False');
}

function readyObject(object: KubeObject): KubeObject {
  const { status } = object as Pod;
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'True' }));
  return { ...object, status: { ...status, phase: 'Running', conditions } } as KubeObject;
}

type OwnerReferences = NonNullable<KubeObject['metadata']>['ownerReferences'];

function ownedBy(object: KubeObject, owners: OwnerReferences): KubeObject {
  const { ownerReferences = owners, ...metadata } = object.metadata ?? {};
  return { ...object, metadata: { ...metadata, ...(ownerReferences === undefined ? {} : { ownerReferences }) } };
}

function ofCluster(object: KubeObject, cluster: string): KubeObject {
  const labels = { ...object.metadata?.labels, [Label.Cluster]: cluster };
  return { ...object, metadata: { ...object.metadata, labels } };
}

function withoutHash(object: KubeObject): KubeObject {
  const annotations = Object.entries(object.metadata?.annotations ?? {}).map(([key, value]) => [
    key,
    key.includes('hash') ? 'other' : value,
  ]);
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(annotations) } };
}
