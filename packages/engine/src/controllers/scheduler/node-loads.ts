import type { Node, Pod } from '@manta/api';
import type { StoreEvent } from '../../store/contract.ts';
import { joinKey, type Stored } from '../cluster.ts';
import { hasPodEnded } from '../pod-state.ts';
import { hostPortsOf, type NodeLoad } from './node-fit.ts';
import { type Amounts, plus, podRequests } from './pod-requests.ts';

/** What the pods on each node have asked for, kept up to date from the store's writes. */
export class NodeLoads {
  readonly #byNode = new Map<string, Map<string, Claim>>();
  readonly #nodeOf = new Map<string, string>();

  /** Takes a write of a pod into account; true when room may have become free. */
  follow({ key, type }: StoreEvent, pod: Stored<Pod>): boolean {
    const id = joinKey(key.namespace, key.name);
    const { nodeName = '' } = pod.spec ?? {};
    if (type === 'DELETED' || nodeName === '' || hasPodEnded(pod)) return this.#drop(id);
    if (this.#nodeOf.has(id)) return false;
    this.#nodeOf.set(id, nodeName);
    this.#claims(nodeName).set(id, { requests: podRequests(pod), hostPorts: hostPortsOf(pod) });
    return false;
  }

  of(node: Stored<Node>): NodeLoad {
    const claims = [...(this.#byNode.get(node.metadata.name)?.values() ?? [])];
    return {
      node,
      requested: claims.reduce<Amounts>((sum, { requests }) => plus(sum, requests), new Map()),
      podCount: claims.length,
      hostPorts: new Set(claims.flatMap(({ hostPorts }) => hostPorts)),
    };
  }

  #drop(id: string): boolean {
    const node = this.#nodeOf.get(id);
    if (node === undefined) return false;
    this.#nodeOf.delete(id);
    this.#byNode.get(node)?.delete(id);
    return true;
  }

  #claims(node: string): Map<string, Claim> {
    let claims = this.#byNode.get(node);
    if (claims === undefined) {
      claims = new Map();
      this.#byNode.set(node, claims);
    }
    return claims;
  }
}

interface Claim {
  readonly requests: Amounts;
  readonly hostPorts: readonly string[];
}
