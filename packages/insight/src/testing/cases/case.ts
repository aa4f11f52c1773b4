import type { Pod, PodStatus, RayCluster } from '@manta/api';
import type { CauseCode } from '../../why/codes.ts';
import type { RayObjectKind, World } from '../../world.ts';
import { cluster, NAMESPACE, pod, readyPod, recorded, seen } from '../recorded-world.ts';

/** A recorded world, and what is found in it. */
export interface WhyCase {
  readonly code: CauseCode;
  /** What is wrong, in a few words. */
  readonly title: string;
  readonly world: World;
  readonly kind?: RayObjectKind;
  /** The whole sentence. */
  readonly sentence: string;
}

/** RayCluster `demo` whose head pod is as given. */
export function withHead(status: PodStatus, parts: Partial<World> = {}, spec?: Pod['spec']): World {
  const head = pod('demo-head', { status, ...(spec === undefined ? {} : { spec }) });
  return recorded({ rayClusters: seen(cluster()), pods: seen(head), ...parts });
}

/** RayCluster `demo` that has no pods. */
export function withoutPods(status: RayCluster['status'] & object, parts: Partial<World> = {}): World {
  return recorded({ rayClusters: seen(cluster({ status })), ...parts });
}

/** RayCluster `demo` with all its pods ready. */
export function allReady(name = 'demo'): Pick<World, 'rayClusters' | 'pods'> {
  const conditions = [
    { type: 'HeadPodReady', status: 'True', reason: 'HeadPodRunningAndReady', message: '', lastTransitionTime: '' },
  ] as const;
  return {
    rayClusters: seen(cluster({ name, status: { desiredWorkerReplicas: 2, readyWorkerReplicas: 2, conditions } })),
    pods: seen(
      readyPod(`${name}-head`, name),
      readyPod(`${name}-w1`, name, 'worker'),
      readyPod(`${name}-w2`, name, 'worker'),
    ),
  };
}

export function condition(type: string, status: 'True' | 'False', reason: string, message = '') {
  return { type, status, reason, message, lastTransitionTime: '2026-11-18T11:55:00Z' };
}

export const meta = (name: string, uid = `uid-${name}`) => ({
  name,
  namespace: NAMESPACE,
  uid,
  creationTimestamp: '2026-11-18T11:50:00Z',
  generation: 1,
});
