import { NodeType, Label } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import type { RayRequest, RayResponse, RaySend } from '@manta/ray';
import type { Outside } from '../scenario.ts';
import { asPod, isHead, isReady, isWorker, STORED } from './stage.ts';

/**
 * Ray heads, as far as the operator asks them: which nodes they know. A head that is not ready does not answer. Most workers find a head
 * that came after them; some never do.
 */
export function rayOf({ backstage, exchange }: Outside): RaySend {
  return async ({ url, method }: RayRequest): Promise<RayResponse> =>
    await exchange(`Ray ${method} ${new URL(url).pathname}`, () => {
      const pods = backstage.api.store.list(STORED.pods);
      const head = headAt(new URL(url).hostname, pods);
      if (head === undefined) throw new Error('connect ECONNREFUSED');
      const result = nodesOf(head, pods);
      const body = JSON.stringify({ result: true, msg: '', data: { result: { total: result.length, result } } });
      return { status: 200, headers: { 'content-type': 'application/json' }, body: bytesOf(body) };
    });
}

/** Workers that stay away from every head that is younger than they are. */
export function staysAway({ metadata: { uid } }: StoredObject): boolean {
  return Number(uid.slice(-6)) % 5 === 0;
}

function headAt(host: string, pods: readonly StoredObject[]): StoredObject | undefined {
  const ready = pods.filter((pod) => isHead(pod) && isReady(pod));
  const [name = ''] = host.split('-head-svc');
  return ready.find((pod) => asPod(pod).status?.podIP === host || clusterOf(pod) === name);
}

/** A worker joins one head only: of several the oldest. */
function nodesOf(head: StoredObject, pods: readonly StoredObject[]): readonly object[] {
  const own = pods.filter((pod) => isReady(pod) && clusterOf(pod) === clusterOf(head));
  const rank = ({ metadata }: StoredObject) => `${metadata.creationTimestamp} ${metadata.uid}`;
  const isJoined = !own.some((pod) => isHead(pod) && rank(pod) < rank(head));
  const workers = isJoined ? own.filter(isWorker) : [];
  const known = workers.filter((pod) => !staysAway(pod) || !isOlder(pod, head));
  return [head, ...known].map((pod) => ({
    node_id: pod.metadata.uid,
    node_ip: asPod(pod).status?.podIP ?? '',
    is_head_node: pod.metadata.labels?.[Label.NodeType] === NodeType.Head,
    state: 'ALIVE',
  }));
}

/** Made in an earlier second: the API tells no more. */
export function isOlder(a: StoredObject, b: StoredObject): boolean {
  return Date.parse(a.metadata.creationTimestamp ?? '') < Date.parse(b.metadata.creationTimestamp ?? '');
}

function clusterOf({ metadata }: StoredObject): string | undefined {
  return metadata.labels?.[Label.Cluster];
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
