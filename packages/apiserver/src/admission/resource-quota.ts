import type { ResourceQuota } from '@manta/api';
import { quotaRefusal, quotaUsage } from '../quota/quota-usage.ts';
import { deepEqual } from '../object/deep-equal.ts';
import { isObject } from '../object/json.ts';
import type { Store } from '../store/contract.ts';
import type { StoredObject } from '../object/stored-object.ts';
import { forbidden } from '../status/errors.ts';
import { metaText } from '../object/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import { asStored } from '../object/stored-json.ts';
import type { AdmissionPlugin } from './admission.ts';

const QUOTAS = '/resourcequotas';

/** Refuses what a quota of the namespace does not allow, and keeps the quotas' sums up to date with every write. */
export function resourceQuota(store: Store, registry: Registry): AdmissionPlugin {
  const resources = () => registry.all().map(({ info }) => info);
  const quotasIn = (namespace: string) => (namespace === '' ? [] : store.list(QUOTAS, { namespace }));
  return {
    validate({ scope, operation, object, old }) {
      if (object === undefined || operation === 'DELETE' || scope.subresource !== '') return undefined;
      for (const stored of quotasIn(scope.namespace)) {
        const quota = asQuota(stored);
        const used = quotaUsage(store, resources(), scope.namespace, quota);
        const before = old === undefined ? undefined : asStored(old);
        const named = { name: stored.metadata.name, quota, used };
        const why = quotaRefusal(named, scope.resource.info, asStored(object), before);
        if (why !== undefined) throw forbidden(scope.resource.info, metaText(object, 'name'), why);
      }
      return undefined;
    },
    admitted({ scope, operation }) {
      if (operation === 'DELETE') return;
      for (const stored of quotasIn(scope.namespace)) {
        const status = isObject(stored['status']) ? stored['status'] : {};
        // Until the first count is there, the controller has not seen the quota.
        if (status['used'] === undefined) continue;
        const used = quotaUsage(store, resources(), scope.namespace, asQuota(stored));
        if (deepEqual(used, status['used'])) continue;
        const key = { resource: QUOTAS, namespace: scope.namespace, name: stored.metadata.name } as const;
        store.update(key, { ...stored, status: { ...status, used } });
      }
    },
  };
}

function asQuota(object: StoredObject): ResourceQuota {
  return object;
}
