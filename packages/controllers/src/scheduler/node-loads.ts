import type { Node, Pod } from '@manta/api';
import { type Amounts, hasPodEnded, podRequests, type StoreEvent } from '@manta/apiserver';
import { joinKey, type Stored } from '../framework/cluster.ts';
import { hostPortsOf, type NodeLoad } from './node-fit.ts';

/** What the pods on each node have asked for, kept up to date from the store's writes. */
export class NodeLoads {
  readonly #byNode = new Map<string, Claims>();
  readonly #nodeOf = new Map<string, string>();

  /** Takes a write of a pod into account; true when room may have become free. */
  follow({ key, type }: StoreEvent, pod: Stored<Pod>): boolean {
    const id = joinKey(key.namespace, key.name);
    const { nodeName = '' } = pod.spec ?? {};
    if (type === 'DELETED' || nodeName === '' || hasPodEnded(pod)) return this.#drop(id);
    if (this.#nodeOf.has(id)) return false;
    this.#nodeOf.set(id, nodeName);
    this.#claims(nodeName).add(id, podRequests(pod), hostPortsOf(pod));
    return false;
  }

  of(node: Stored<Node>): NodeLoad {
    const claims = this.#byNode.get(node.metadata.name) ?? new Claims();
    return { node, requested: claims.total, podCount: claims.count, hostPorts: claims.hostPorts() };
  }

  #drop(id: string): boolean {
    const node = this.#nodeOf.get(id);
    if (node === undefined) return false;
    this.#nodeOf.delete(id);
    this.#byNode.get(node)?.remove(id);
    return true;
  }

  #claims(node: string): Claims {
    let claims = this.#byNode.get(node);
    if (claims === undefined) {
      claims = new Claims();
      this.#byNode.set(node, claims);
    }
    return claims;
  }
}

/** What pods claim of one node. The total is carried along: adding up thousands of pods for each new one would not do. */
class Claims {
  readonly total = new Map<string, bigint>();
  readonly #requests = new Map<string, Amounts>();
  readonly #hostPorts = new Map<string, readonly string[]>();

  get count(): number {
    return this.#requests.size;
  }

  add(id: string, requests: Amounts, hostPorts: readonly string[]): void {
    this.#requests.set(id, requests);
    if (hostPorts.length > 0) this.#hostPorts.set(id, hostPorts);
    for (const [name, amount] of requests) this.total.set(name, (this.total.get(name) ?? 0n) + amount);
  }

  remove(id: string): void {
    for (const [name, amount] of this.#requests.get(id) ?? [])
      this.total.set(name, (this.total.get(name) ?? 0n) - amount);
    this.#requests.delete(id);
    this.#hostPorts.delete(id);
  }

  hostPorts(): ReadonlySet<string> {
    return new Set([...this.#hostPorts.values()].flat());
  }
}
