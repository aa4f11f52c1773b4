import type { Pod, RayCluster } from '@manta/api';
import { EMPTY_WORLD, type Part, type World, type WorldEvent } from '../world.ts';

export const NOW = Date.parse('2026-11-18T12:00:00Z');
export const NAMESPACE = 'team-a';

/** A timestamp this many seconds before `NOW`. */
export function ago(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString();
}

export function seen<T>(...items: readonly T[]): Part<T> {
  return { kind: 'seen', items };
}

/** A world in which every part was read and is empty, except for those given. */
export function recorded(parts: Partial<World>): World {
  const empty = seen<never>();
  const all = Object.fromEntries(
    Object.entries(EMPTY_WORLD)
      .filter(([, part]) => isPart(part))
      .map(([key]) => [key, empty]),
  );
  return { ...EMPTY_WORLD, ...all, now: NOW, ...parts };
}

function isPart(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** A RayCluster `demo`, ten minutes old, with one worker group; not ready unless `status` says so. */
export function cluster(parts: Partial<RayCluster> & { readonly name?: string } = {}): RayCluster {
  const { name = 'demo', metadata, spec, status } = parts;
  const template = (container: string) => ({
    spec: { containers: [{ name: container, image: 'rayproject/ray:2.52.0' }] },
  });
  return {
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: `uid-${name}`,
      creationTimestamp: ago(600),
      generation: 1,
      ...metadata,
    },
    spec: {
      headGroupSpec: { template: template('ray-head') },
      workerGroupSpecs: [
        { groupName: 'gpu', replicas: 2, minReplicas: 0, maxReplicas: 4, template: template('ray-worker') },
      ],
      ...spec,
    },
    status: { observedGeneration: 1, desiredWorkerReplicas: 2, readyWorkerReplicas: 0, ...status },
  };
}

/** A pod of a RayCluster, five minutes old. */
export function pod(name: string, parts: Partial<Pod> = {}, of = 'demo', type: 'head' | 'worker' = 'head'): Pod {
  const labels = {
    'ray.io/cluster': of,
    'ray.io/node-type': type,
    'ray.io/group': type === 'head' ? 'headgroup' : 'gpu',
    'ray.io/is-ray-node': 'yes',
  };
  return {
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: `uid-${name}`,
      creationTimestamp: ago(300),
      labels,
      ...parts.metadata,
    },
    spec: parts.spec ?? { containers: [{ name: `ray-${type}`, image: 'rayproject/ray:2.52.0' }] },
    status: { phase: 'Pending', ...parts.status },
  };
}

/** A pod that runs and is ready. */
export function readyPod(name: string, of = 'demo', type: 'head' | 'worker' = 'head'): Pod {
  return pod(name, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }, of, type);
}

/** An event of one minute ago. */
export function event(kind: string, name: string, reason: string, note: string, type = 'Warning'): WorldEvent {
  return {
    metadata: { name: `${name}.${reason}`, namespace: NAMESPACE, creationTimestamp: ago(60) },
    type,
    reason,
    note,
    regarding: { kind, name, namespace: NAMESPACE },
  };
}
