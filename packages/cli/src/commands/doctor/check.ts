import type { KubeObject } from '@manta/api';
import { isForbidden, isNotFound, type KubeClient, type ResourceType } from '@manta/kube';

/** `unknown`: the user may not read what the check needs. */
export type CheckState = 'ok' | 'warning' | 'failed' | 'unknown';

/** What a check found. */
export interface Check {
  readonly check: string;
  readonly state: CheckState;
  readonly says: string;
  /** What to do; absent if nothing is wrong. */
  readonly hint?: string;
}

/** What a list gave: the items, the missing right, or that the server has no such kind. */
export type Listed<T> =
  | { readonly kind: 'items'; readonly items: readonly T[] }
  | { readonly kind: 'forbidden'; readonly right: string }
  | { readonly kind: 'absent' };

export async function listOrRight<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  options: { readonly namespace?: string; readonly labelSelector?: string } = {},
): Promise<Listed<T>> {
  try {
    const { items } = await client.list(type, options);
    return { kind: 'items', items };
  } catch (error) {
    const resource = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
    if (isNotFound(error)) return { kind: 'absent' };
    if (!isForbidden(error)) throw error;
    const where = options.namespace === undefined ? '' : ` in namespace ${options.namespace}`;
    return { kind: 'forbidden', right: `list ${resource}${where}` };
  }
}

/** A check that the user's rights do not allow. */
export function unknown(check: string, right: string): Check {
  return { check, state: 'unknown', says: `you may not ${right}` };
}
