import { deepEqual, quotaUsage, type StoreEvent } from '@manta/apiserver';
import { type Cluster, joinKey, nameOf, readAll, readOne, splitKey } from '../framework/cluster.ts';
import type { Controller } from '../framework/controller.ts';
import { events, resourceQuotas } from '../framework/kinds.ts';

/** Keeps `status` of every ResourceQuota at what its namespace uses. */
export function quotaStatus(cluster: Cluster): Controller {
  const { store, writes } = cluster;
  return {
    name: 'quota-status',
    keysOf: (event) => keysOf(cluster, event),
    reconcile: async (key) => {
      const { namespace, name } = splitKey(key);
      const quota = readOne(store, resourceQuotas, namespace, name);
      if (quota === undefined) return undefined;
      const hard = quota.spec?.hard ?? {};
      const used = quotaUsage(store, cluster.resources(), namespace, quota);
      if (deepEqual(quota.status?.hard ?? {}, hard) && deepEqual(quota.status?.used ?? {}, used)) return undefined;
      await writes.update(resourceQuotas, { ...quota, status: { hard, used } }, { subresource: 'status' });
      return undefined;
    },
  };
}

/** Every object counts for all quotas of its namespace; events count for none. */
function keysOf({ store }: Cluster, { key }: StoreEvent): readonly string[] {
  if (key.namespace === '' || key.resource === nameOf(events)) return [];
  const own = key.resource === nameOf(resourceQuotas) ? [joinKey(key.namespace, key.name)] : [];
  const others = readAll(store, resourceQuotas, key.namespace).map(({ metadata }) =>
    joinKey(key.namespace, metadata.name),
  );
  return [...own, ...others];
}
