import { type FeatureGates, Label } from '@manta/api';
import { isNotFound, type KubeClient, resources } from '@manta/kube';
import { cronChildRecord, type ObservedRayCronJob } from '@manta/plan';
import { type ObjectKey, type ReconcileContext, refOf } from '@manta/runtime';
import { parseKubernetesYaml } from '../kubernetes-yaml.ts';
import type { RayCronJobCache } from './raycronjob-cache.ts';

/** What observing needs besides the key. */
export interface RayCronJobObserver {
  readonly cache: RayCronJobCache;
  readonly client: KubeClient;
  readonly gates: FeatureGates;
  readonly now: () => number;
}

type Core = Pick<ObservedRayCronJob, 'cronJob' | 'children'>;

/** Everything a decision about this RayCronJob needs; undefined if it does not exist. */
export async function observeRayCronJob(
  observer: RayCronJobObserver,
  { key, freshness, signal }: ReconcileContext,
): Promise<ObservedRayCronJob | undefined> {
  const core = freshness === 'cached' ? cached(observer.cache, key) : await live(observer, key, signal);
  if (core === undefined) return undefined;
  return { ...core, now: observer.now(), gates: observer.gates, parseYaml: parseKubernetesYaml };
}

function cached({ cronJobs, children }: RayCronJobCache, key: ObjectKey): Core | undefined {
  const cronJob = cronJobs.get(key);
  return cronJob === undefined ? undefined : { cronJob, children: children?.by('cronJob', key) ?? [] };
}

/** The cache has not shown our own writes in time, so what matters is read from the server itself. */
async function live(
  { client, cache }: RayCronJobObserver,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Core | undefined> {
  const { namespace, name } = refOf(key);
  const labelSelector = `${Label.CronJobName}=${name}`;
  try {
    const [cronJob, children] = await Promise.all([
      client.get(resources.rayCronJobs, { namespace, name }, { signal }),
      cache.children === undefined ? [] : client.list(resources.rayJobs, { namespace, labelSelector, signal }),
    ]);
    return { cronJob, children: 'items' in children ? children.items.map(cronChildRecord) : [] };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
