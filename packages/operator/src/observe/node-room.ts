import type { Node, Pod } from '@manta/api';
import { isForbidden, isNotFound, type KubeClient, resources } from '@manta/kube';
import {
  type Amounts,
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
  /** What the pod asks for and what the nodes have, in words; undefined if that cannot be read. */
  of(pod: PodRecord, signal: AbortSignal): Promise<string | undefined>;
}

/** After a refusal, and after another failure, the API server is not asked for this long. */
const FORBIDDEN_MS = 600_000;
const FAILED_MS = 30_000;
/** How long an answer is used for other pods: whenever a node comes or goes, every pod without room has news. */
const RECENT_MS = 10_000;

/** The nodes, and the requests of the pods on those that were the largest; undefined if they cannot be read. */
interface Recent {
  readonly at: number;
  readonly nodes: readonly NodeRoom[];
  readonly onNode: Map<string, readonly Amounts[] | undefined>;
}

/**
 * Reading nodes and pods of other namespaces is optional: without permission or without an answer, the scheduler's message has to do. No
 * reconcile fails because of it. Answers come from the API server's cache (`resourceVersion` 0), which costs it little.
 */
export function createRoomReader(client: KubeClient, now: () => number): RoomReader {
  let pausedUntil = 0;
  let recent: Recent | undefined;

  async function optional<T>(reading: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    try {
      return await reading;
    } catch (error) {
      if (signal.aborted) throw error;
      if (!isForbidden(error) && !isNotFound(error)) pausedUntil = now() + FAILED_MS;
      return undefined;
    }
  }

  async function nodes(signal: AbortSignal): Promise<Recent | undefined> {
    const age = now() - (recent?.at ?? Number.NEGATIVE_INFINITY);
    if (age >= 0 && age < RECENT_MS) return recent;
    recent = undefined;
    const list = await optional(client.list(resources.nodes, { resourceVersion: '0', signal }), signal);
    if (list !== undefined) recent = { at: now(), nodes: list.items.flatMap(roomOf), onNode: new Map() };
    else if (pausedUntil <= now()) pausedUntil = now() + FORBIDDEN_MS;
    return recent;
  }

  async function requestsOn(
    { onNode }: Recent,
    name: string,
    signal: AbortSignal,
  ): Promise<readonly Amounts[] | undefined> {
    if (onNode.has(name)) return onNode.get(name);
    const selection = { fieldSelector: `spec.nodeName=${name}`, resourceVersion: '0', signal };
    const pods = await optional(client.list(resources.pods, selection), signal);
    const found = pods?.items.filter(isActive).map(requests);
    onNode.set(name, found);
    return found;
  }

  return {
    async of({ name, namespace, trouble = '' }, signal) {
      const resource = lackingResource(trouble);
      if (resource === undefined || now() < pausedUntil) return undefined;
      const known = await nodes(signal);
      if (known === undefined) return undefined;
      const pod = await optional(client.get(resources.pods, { namespace, name }, { signal }), signal);
      if (pod === undefined) return undefined;
      const node = largestNode(known.nodes, resource);
      const others = node === undefined ? undefined : await requestsOn(known, node.name, signal);
      return roomInWords(resource, requests(pod), node, others);
    },
  };
}

function roomOf({ metadata, spec, status }: Node): readonly NodeRoom[] {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
  if (!isReady || spec?.unschedulable === true) return [];
  return [{ name: metadata?.name ?? '', allocatable: amountsOf(status.allocatable ?? {}) }];
}

function requests({ spec }: Pod): Amounts {
  return spec === undefined ? NO_AMOUNTS : podAmounts(spec);
}

/** Pods that have ended take no room. */
function isActive({ status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}
