import type { ResourceName, StoreEvent } from '@manta/apiserver';
import type { Cluster } from './cluster.ts';
import { KeyedQueue } from './keyed-queue.ts';

/** One controller: which writes trigger which keys, and how a key is reconciled. */
export interface Controller {
  readonly name: string;
  /** The resources whose writes it follows; absent: all of them. */
  readonly watches?: readonly ResourceName[];
  /** The first retry delay, doubled with each further failure; default 5 ms. */
  readonly firstRetryMs?: number;
  /** Called once at the start, for a controller that also gets events from outside the store. */
  started?(enqueue: Enqueue): void;
  /** The keys to reconcile after a write. Also called for every object that exists when the controller starts. */
  keysOf(event: StoreEvent): readonly string[];
  /** Reconciles one key with the current state; returns when to requeue it, if time alone may change the result. */
  reconcile(key: string, queue: Enqueue): Promise<RequeueAfter | undefined>;
}

/** Adds a key to the work queue. */
export type Enqueue = (key: string) => void;

export interface RequeueAfter {
  readonly afterMs: number;
}

/** Stops a controller: what it is doing just now is finished, nothing new begins. */
export type StopController = () => void;

/** Runs a controller on a cluster, on the cluster's clock, one key at a time. */
export function startController(cluster: Cluster, controller: Controller): StopController {
  const { store, world, onError } = cluster;
  const queue = new KeyedQueue(
    world.clock,
    (key) => controller.reconcile(key, (other) => queue.add(other)),
    (key, error) => onError?.(controller.name, key, error),
    controller.firstRetryMs,
  );
  controller.started?.((key) => queue.add(key));
  const { watches } = controller;
  const follow = (event: StoreEvent) => {
    for (const key of controller.keysOf(event)) queue.add(key);
  };
  const from = store.revision;
  for (const resource of watches ??
    cluster.resources().map(({ group, plural }): ResourceName => `${group}/${plural}`)) {
    for (const object of store.list(resource)) {
      const { namespace = '', name } = object.metadata;
      follow({ type: 'ADDED', key: { resource, namespace, name }, revision: from, object });
    }
  }
  const stops =
    watches === undefined
      ? [store.watch(from, follow)]
      : watches.map((resource) => store.watch(from, follow, resource));
  return () => {
    for (const stop of stops) stop();
    queue.stop();
  };
}
