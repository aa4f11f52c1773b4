import { JobDeploymentStatus, Label, NodeType, type RayJob } from '@manta/api';
import type { RayRef } from '../world.ts';
import type { Downtime } from './types.ts';
import { trafficShares } from './simulate.ts';
import type { VirtualOperator } from './virtual-operator.ts';

/** Whether users of an object are served at one moment. */
export function isServing(operator: VirtualOperator, { kind, name }: RayRef): boolean {
  const { objects } = operator.world;
  switch (kind) {
    case 'RayCluster':
      return hasReadyHead(operator, name);
    case 'RayJob':
      return isRunning(objects.RayJob.get(name));
    case 'RayService': {
      const shares = [...trafficShares(operator)].filter(([, share]) => share > 0);
      return shares.length > 0 && shares.every(([cluster]) => hasReadyHead(operator, cluster));
    }
    case 'RayCronJob':
      return true;
  }
}

function isRunning(job: RayJob | undefined): boolean {
  return job?.status?.jobDeploymentStatus === JobDeploymentStatus.Running;
}

function hasReadyHead({ world }: VirtualOperator, cluster: string): boolean {
  return [...world.objects.Pod.values()].some(
    ({ metadata, status }) =>
      metadata?.labels?.[Label.Cluster] === cluster &&
      metadata.labels[Label.NodeType] === NodeType.Head &&
      metadata.deletionTimestamp === undefined &&
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true,
  );
}

const INTERRUPTED: Readonly<Record<RayRef['kind'], string>> = {
  RayCluster: 'the head pod is replaced: jobs, actors and Serve applications on the cluster end',
  RayJob: 'the running attempt ends and the job starts again',
  RayService: 'no RayCluster answers requests for a while',
  RayCronJob: '',
};

const STOPPED: Readonly<Record<RayRef['kind'], string>> = {
  RayCluster: 'the cluster has no head pod any more: jobs, actors and Serve applications on it end',
  RayJob: 'the running attempt ends',
  RayService: 'no RayCluster answers requests any more',
  RayCronJob: '',
};

/** The downtime of an object that served before; `always` and `finally` say whether it served all the time and at the end. */
export function downtimeOf(
  { kind }: RayRef,
  serving: { readonly before: boolean; readonly always: boolean; readonly finally: boolean },
): Downtime {
  if (!serving.before || (serving.always && serving.finally)) return { kind: 'none' };
  return serving.finally ? { kind: 'interrupted', why: INTERRUPTED[kind] } : { kind: 'stopped', why: STOPPED[kind] };
}
