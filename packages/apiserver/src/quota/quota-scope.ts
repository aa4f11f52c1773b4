import { ownValue } from '@manta/base';
import type { Pod, ResourceQuota, ScopedResourceSelectorRequirement } from '@manta/api';
import type { ResourceInfo } from '../object/resource-info.ts';
import type { StoredObject } from '../object/stored-object.ts';
import { meets } from '../selectors/selects.ts';

/** Whether a quota counts an object: one with scopes counts only pods, and of those only the ones in all its scopes. */
export function isInScope(
  quota: ResourceQuota,
  { group, plural }: Pick<ResourceInfo, 'group' | 'plural'>,
  object: StoredObject,
): boolean {
  const scopes = requirements(quota);
  if (scopes.length === 0) return true;
  return group === '' && plural === 'pods' && scopes.every((scope) => matches(scope, object));
}

function requirements({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] {
  const plain = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

function matches({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement, pod: Pod): boolean {
  const { activeDeadlineSeconds, priorityClassName = '' } = pod.spec ?? {};
  switch (scopeName) {
    case 'Terminating':
      return activeDeadlineSeconds !== undefined;
    case 'NotTerminating':
      return activeDeadlineSeconds === undefined;
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return meets(priorityClassName === '' ? undefined : priorityClassName, operator, values);
    default:
      return false;
  }
}

function isBestEffort({ spec }: Pod): boolean {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return containers.every(({ resources }) =>
    ['cpu', 'memory'].every(
      (name) => ownValue(resources?.requests, name) === undefined && ownValue(resources?.limits, name) === undefined,
    ),
  );
}
