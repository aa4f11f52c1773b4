import { ownValue } from '@manta/base';
import { formatQuantity, type Pod, parseQuantity, type Quantity, quantityOf, type ResourceQuota } from '@manta/api';
import { type ResourceInfo, resourceName } from '../object/resource-info.ts';
import type { Store } from '../store/contract.ts';
import type { StoredObject } from '../object/stored-object.ts';
import { addUsage, isCountable, objectUsage, type Usage } from './object-usage.ts';
import { isInScope } from './quota-scope.ts';

type Named = Pick<ResourceInfo, 'group' | 'plural'>;

/** What a quota's namespace uses right now of everything that the quota limits and that can be counted. */
export function quotaUsage(
  store: Store,
  resources: readonly ResourceInfo[],
  namespace: string,
  quota: ResourceQuota,
): Readonly<Record<string, string>> {
  const names = Object.keys(quota.spec?.hard ?? {}).filter((name) => isCountable(name, resources));
  const counted = resources
    .filter(({ isNamespaced, verbs }) => isNamespaced && verbs.includes('list'))
    .flatMap((info) => store.list(resourceName(info), { namespace }).map((object) => ({ info, object })))
    .filter(({ info, object }) => isInScope(quota, info, object))
    .reduce<Usage>((sum, { info, object }) => addUsage(sum, objectUsage(info, object)), new Map());
  return Object.fromEntries(names.map((name) => [name, formatQuantity(counted.get(name) ?? quantityOf(0))]));
}

/**
 * Why a quota does not allow one more object, in the API server's words; undefined when it does. `used` is what the namespace uses
 * without it. `before` is the object as it was, for an update: only what is added counts.
 */
export function quotaRefusal(
  quota: { readonly name: string; readonly quota: ResourceQuota; readonly used: Readonly<Record<string, string>> },
  resource: Named,
  object: StoredObject,
  before?: StoredObject,
): string | undefined {
  const { hard = {} } = quota.quota.spec ?? {};
  if (!isInScope(quota.quota, resource, object)) return undefined;
  const missing = resource.group === '' && resource.plural === 'pods' ? unspecified(hard, object) : [];
  if (missing.length > 0) return `failed quota: ${quota.name}: must specify ${missing.join('; ')}`;
  const earlier = before === undefined ? undefined : objectUsage(resource, before);
  const over = [...objectUsage(resource, object)]
    .map(([name, amount]) => ({ name, nanos: amount.nanos - (earlier?.get(name)?.nanos ?? 0n), format: amount.format }))
    .filter(
      ({ name, nanos }) =>
        nanos > 0n &&
        Object.hasOwn(hard, name) &&
        nanos + nanosOf(ownValue(quota.used, name)) > nanosOf(ownValue(hard, name)),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (over.length === 0) return undefined;
  const requested = over.map((amount) => `${amount.name}=${formatQuantity(amount)}`).join(',');
  const used = over.map(({ name }) => `${name}=${ownValue(quota.used, name) ?? '0'}`).join(',');
  const limited = over.map(({ name }) => `${name}=${ownValue(hard, name)}`).join(',');
  return `exceeded quota: ${quota.name}, requested: ${requested}, used: ${used}, limited: ${limited}`;
}

/** A quota on processors or memory asks every container to say what it needs. */
function unspecified(hard: Readonly<Record<string, Quantity>>, { spec }: Pod): readonly string[] {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return Object.keys(hard)
    .toSorted()
    .flatMap((name) => {
      const match = /^(?:(requests|limits)\.)?(cpu|memory)$/.exec(name);
      if (match === null) return [];
      const which = match[1] === 'limits' ? 'limits' : 'requests';
      const without = containers.filter(({ resources }) => resources?.[which]?.[match[2] ?? ''] === undefined);
      return without.length === 0
        ? []
        : [
            `${name} for: ${without
              .map((container) => container.name)
              .toSorted()
              .join(',')}`,
          ];
    });
}

function nanosOf(quantity: Quantity | undefined): bigint {
  const parsed = parseQuantity(quantity ?? '0');
  return parsed.ok ? parsed.value.nanos : 0n;
}
