import type { KubeObject } from '@manta/api';
import type { Clock, Status } from '@manta/kube';
import type { Informer } from './informer.ts';
import { keyOf, namespaceOf, type ObjectKey } from './object-key.ts';
import { onwardClock } from './onward-clock.ts';

/** The part of an informer that a barrier needs. */
export type BarrierInformer = Pick<Informer, 'type' | 'entry' | 'hasSeen' | 'isReady' | 'onChange' | 'onProgress'>;

/** One of our writes that the informer has not shown yet. */
export interface PendingWrite {
  /** Of the object that was written. */
  readonly kind: string;
  readonly key: ObjectKey;
  readonly wait: { readonly forVersion: string } | { readonly forEndOf: string };
  readonly since: number;
}

/** Whether this owner may be reconciled. `late`: the informer has not shown our writes in time, so read from the API server. */
export type BarrierState =
  | { readonly kind: 'clear' }
  | { readonly kind: 'waiting'; readonly pending: readonly PendingWrite[]; readonly lateAt: number }
  | { readonly kind: 'late'; readonly pending: readonly PendingWrite[] };

interface Pending extends PendingWrite {
  readonly owner: ObjectKey;
  readonly informer: BarrierInformer;
}

/** How long a reconcile waits for an informer to show a write. */
const LATE_AFTER_MS = 10_000;

/**
 * Keeps a controller from acting on a cache that has not seen its own last writes. After a write it holds the owner back until the
 * informer has reached the version that the server returned, after a removal until the object has gone or is another one of the same
 * name. It remembers nothing across restarts and need not: a new process starts from a fresh list. A wait never ends silently: past
 * its limit the owner is `late`, and stays so until the informer catches up.
 */
export class WriteBarrier {
  readonly #clock: Clock;
  readonly #lateAfterMs: number;
  readonly #onMissed: (owner: ObjectKey) => void;
  readonly #byOwner = new Map<ObjectKey, Set<Pending>>();
  readonly #byObject = new Map<BarrierInformer, Map<ObjectKey, Set<Pending>>>();
  readonly #waiters = new Map<ObjectKey, { readonly run: () => void; readonly cancelTimer: () => void }>();

  /** `onMissed` is called with owners whose write the informer skipped (e.g. the object was deleted meanwhile): no event may ever requeue them. */
  constructor(clock: Clock, lateAfterMs = LATE_AFTER_MS, onMissed: (owner: ObjectKey) => void = () => undefined) {
    this.#clock = onwardClock(clock);
    this.#lateAfterMs = lateAfterMs;
    this.#onMissed = onMissed;
  }

  /** `object`, as the server returned it, was created or changed on behalf of `owner`. */
  wrote(owner: ObjectKey, informer: BarrierInformer, object: KubeObject): void {
    const forVersion = versionOf(object);
    if (forVersion !== undefined) this.#expect(owner, informer, keyOf(object), { forVersion });
  }

  /**
   * The object of this key and uid was deleted on behalf of `owner`. `answer` is what the server said: an object carries the version
   * of its end, or of the mark that it is ending; where there is none, the end itself is awaited.
   */
  deleted(owner: ObjectKey, informer: BarrierInformer, key: ObjectKey, uid: string, answer: KubeObject | Status): void {
    const forVersion = answer.kind === 'Status' ? undefined : versionOf(answer);
    this.#expect(owner, informer, key, forVersion === undefined ? { forEndOf: uid } : { forVersion });
  }

  state(owner: ObjectKey): BarrierState {
    const pending = [...(this.#byOwner.get(owner) ?? [])].filter(isFollowed);
    if (pending.length === 0) return { kind: 'clear' };
    const lateAt = Math.min(...pending.map(({ since }) => since)) + this.#lateAfterMs;
    return this.#clock.now() >= lateAt ? { kind: 'late', pending } : { kind: 'waiting', pending, lateAt };
  }

  /** Calls `run` once, when the owner is no longer waiting: at once if it is not. A second call for one owner replaces the first. */
  whenOver(owner: ObjectKey, run: () => void): void {
    this.stopWaiting(owner);
    const state = this.state(owner);
    if (state.kind !== 'waiting') {
      run();
      return;
    }
    const cancelTimer = this.#clock.setTimer(state.lateAt - this.#clock.now(), () => this.#release(owner));
    this.#waiters.set(owner, { run, cancelTimer });
  }

  /** Takes {@link whenOver} back. */
  stopWaiting(owner: ObjectKey): void {
    this.#waiters.get(owner)?.cancelTimer();
    this.#waiters.delete(owner);
  }

  #expect(owner: ObjectKey, informer: BarrierInformer, key: ObjectKey, wait: PendingWrite['wait']): void {
    const pending: Pending = { owner, informer, kind: informer.type.kind, key, wait, since: this.#clock.now() };
    if (isOver(pending) || !isFollowed(pending)) return;
    const owned = this.#byOwner.get(owner) ?? new Set();
    this.#byOwner.set(owner, owned.add(pending));
    const objects = this.#follow(informer);
    objects.set(key, (objects.get(key) ?? new Set()).add(pending));
  }

  #follow(informer: BarrierInformer): Map<ObjectKey, Set<Pending>> {
    const known = this.#byObject.get(informer);
    if (known !== undefined) return known;
    const objects = new Map<ObjectKey, Set<Pending>>();
    this.#byObject.set(informer, objects);
    informer.onChange(({ key }) => void this.#check(objects.get(key)));
    informer.onProgress(() => {
      for (const pending of objects.values()) for (const owner of this.#check(pending)) this.#onMissed(owner);
    });
    return objects;
  }

  #check(candidates: ReadonlySet<Pending> | undefined): readonly ObjectKey[] {
    const over = [...(candidates ?? [])].filter(isOver);
    for (const pending of over) {
      this.#drop(pending);
      if (!this.#byOwner.has(pending.owner)) this.#release(pending.owner);
    }
    return over.map(({ owner }) => owner);
  }

  #drop(pending: Pending): void {
    const owned = this.#byOwner.get(pending.owner);
    owned?.delete(pending);
    if (owned?.size === 0) this.#byOwner.delete(pending.owner);
    const objects = this.#byObject.get(pending.informer);
    const same = objects?.get(pending.key);
    same?.delete(pending);
    if (same?.size === 0) objects?.delete(pending.key);
  }

  #release(owner: ObjectKey): void {
    const waiter = this.#waiters.get(owner);
    this.#waiters.delete(owner);
    waiter?.cancelTimer();
    waiter?.run();
  }
}

/** An informer that may not watch, or whose kind is absent, blocks nothing: its content is not used. */
function isFollowed({ informer, key }: Pending): boolean {
  return informer.isReady(namespaceOf(key));
}

function isOver({ informer, key, wait }: Pending): boolean {
  if ('forVersion' in wait) return informer.hasSeen(key, wait.forVersion);
  return informer.entry(key)?.uid !== wait.forEndOf;
}

function versionOf(object: KubeObject | Status): string | undefined {
  return 'metadata' in object ? object.metadata?.resourceVersion : undefined;
}
