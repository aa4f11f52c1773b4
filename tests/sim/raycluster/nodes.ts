import type { Api, StoredObject } from '@manta/apiserver';
import { resources } from '@manta/kube';
import type { Backstage } from '../scenario.ts';
import { quietly } from './quietly.ts';
import { asPod, hasEnded, isGoing, NAMESPACE, readiness, STORED } from './stage.ts';

const NODES = ['n1', 'n2', 'n3'] as const;

/** Until when nodes are gone, in each simulation. */
const downtimes = new WeakMap<Api, Map<string, number>>();

function downtimesOf(api: Api): Map<string, number> {
  const known = downtimes.get(api) ?? new Map<string, number>();
  downtimes.set(api, known);
  return known;
}

/** A node that is up; undefined while none is. */
export function anyNode({ api, clock, choices }: Backstage): string | undefined {
  const down = downtimesOf(api);
  const up = NODES.filter((node) => (down.get(node) ?? 0) <= clock.now());
  return up[choices.pick(up.length)];
}

/** How long a pod that is told to go cannot hear it. */
export function deafMs({ api, clock }: Backstage, pod: StoredObject): number {
  return Math.max(0, (downtimesOf(api).get(asPod(pod).spec?.nodeName ?? '') ?? 0) - clock.now());
}

/**
 * A node is not heard of any more. Its pods stop being ready; then it comes back, or they are evicted and end when the node is given up,
 * or they are declared failed.
 */
export async function loseNode(backstage: Backstage): Promise<void> {
  const { api, clock, choices } = backstage;
  const node = anyNode(backstage);
  if (node === undefined) return;
  const awayMs = 2_000 + 1_000 * choices.pick(40);
  downtimesOf(api).set(node, clock.now() + awayMs);
  const pods = podsOn(api, node);
  for (const pod of pods) setStatus(api, pod, { conditions: readiness('False') });
  const ending = choices.pick(3);
  clock.setTimer(ending === 0 ? awayMs : awayMs / 2, () => {
    for (const pod of pods) {
      const current = api.store.get(keyOf(pod));
      if (current?.metadata.uid !== pod.metadata.uid || hasEnded(current)) continue;
      if (ending === 0) setStatus(api, current, { conditions: readiness('True') });
      else if (ending === 1) setStatus(api, current, { phase: 'Failed', reason: 'NodeLost' });
      else void quietly(backstage.client.delete(resources.pods, { name: pod.metadata.name, namespace: NAMESPACE }));
    }
  });
}

function podsOn(api: Api, node: string): readonly StoredObject[] {
  return api.store
    .list(STORED.pods)
    .filter((pod) => asPod(pod).spec?.nodeName === node && !isGoing(pod) && !hasEnded(pod));
}

/** What a kubelet, or whoever speaks for it, says of a pod. */
export function setStatus(api: Api, pod: StoredObject, change: object): void {
  const { status } = asPod(pod);
  api.store.update(keyOf(pod), { ...pod, status: { ...status, ...change } });
}

function keyOf({ metadata: { name } }: StoredObject) {
  return { resource: STORED.pods, namespace: NAMESPACE, name };
}
