import type { KubeObject } from '@manta/api';
import type { Part } from '@manta/insight';
import { isForbidden, isNotFound, type KubeClient, type ResourceType } from '@manta/kube';

/** Lists one kind with the user's rights. A missing right or CRD is part of the answer; other failures reject. */
export async function readPart<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  namespace: string | undefined,
): Promise<Part<T>> {
  const scope = type.isNamespaced ? namespace : undefined;
  try {
    const { items } = await client.list(type, { namespace: scope });
    return { kind: 'seen', items };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'absent' };
    if (isForbidden(error)) return { kind: 'unreadable', right: rightText(type, scope) };
    throw error;
  }
}

function rightText({ plural, group, isNamespaced }: ResourceType, namespace: string | undefined): string {
  const resource = group === '' ? plural : `${plural}.${group}`;
  const where = !isNamespaced ? '' : namespace === undefined ? ' in all namespaces' : ` in namespace ${namespace}`;
  return `list ${resource}${where}`;
}
