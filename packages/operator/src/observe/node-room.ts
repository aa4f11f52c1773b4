import type { Node, Pod } from '@manta/api';
import { isForbidden, isNotFound, type KubeClient, resources } from '@manta/kube';
import {
  amountsOf,
  lackingResource,
  largestNode,
  type NodeRoom,
  NO_AMOUNTS,
  podAmounts,
  type PodRecord,
  roomInWords,
} from '@manta/plan';

/** Reads how much room there is for a pod that no node takes. */
export interface RoomReader {
  /** What the pod asks for and what the nodes have, in words; undefined if that may not be read. */
  of(pod: PodRecord, signal: AbortSignal): Promise<string | undefined>;
}

/** After a refusal the API server is not asked for this long. */
const FORBIDDEN_MS = 600_000;

/** Reading nodes and pods of other namespaces is optional: without permission, the scheduler's message has to do. */
export function createRoomReader(client: KubeClient, now: () => number): RoomReader {
  let forbiddenUntil = 0;

  async function optional<T>(reading: Promise<T>): Promise<T | undefined> {
    try {
      return await reading;
    } catch (error) {
      if (!isForbidden(error) && !isNotFound(error)) throw error;
      return undefined;
    }
  }

  return {
    async of({ name, namespace, trouble = '' }, signal) {
      const resource = lackingResource(trouble);
      if (resource === undefined || now() < forbiddenUntil) return undefined;
      const nodes = await optional(client.list(resources.nodes, { signal }));
      if (nodes === undefined) {
        forbiddenUntil = now() + FORBIDDEN_MS;
        return undefined;
      }
      const pod = await optional(client.get(resources.pods, { namespace, name }, { signal }));
      if (pod === undefined) return undefined;
      const node = largestNode(nodes.items.flatMap(roomOf), resource);
      const selection = { fieldSelector: `spec.nodeName=${node?.name ?? ''}`, signal };
      const others = node === undefined ? undefined : await optional(client.list(resources.pods, selection));
      return roomInWords(resource, requests(pod), node, others?.items.filter(isActive).map(requests));
    },
  };
}

function roomOf({ metadata, spec, status }: Node): readonly NodeRoom[] {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
  if (!isReady || spec?.unschedulable === true) return [];
  return [{ name: metadata?.name ?? '', allocatable: amountsOf(status.allocatable ?? {}) }];
}

function requests({ spec }: Pod) {
  return spec === undefined ? NO_AMOUNTS : podAmounts(spec);
}

/** Pods that have ended take no room. */
function isActive({ status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}
