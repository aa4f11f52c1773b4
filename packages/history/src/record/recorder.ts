import type { KubeObject, Pod } from '@manta/api';
import { messageOf } from '@manta/base';
import { type Clock, type KubeClient, type ResourceType, resources, type Transport } from '@manta/kube';
import { createInformer, type Informer, type Logger } from '@manta/runtime';
import type { EventEntry, PodEntry, RayKind, VersionEntry } from '../store/entries.ts';
import type { HistoryStore } from '../store/history-store.ts';
import { eventEntry, type RecordedEvent } from './event-entry.ts';
import { LogTails } from './log-tails.ts';
import { PendingEntries } from './pending-entries.ts';
import { logTargets, type LogTarget, podEntry } from './pod-entry.ts';
import { redact } from './redact.ts';

export interface RecorderOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly client: KubeClient;
  /** For pod logs. */
  readonly transport: Transport;
  readonly log: Logger;
  readonly store: HistoryStore;
}

export interface Recorder {
  /** Resolves when everything that was seen so far is written. */
  flush(): void;
  /** Writes what is left and stops. */
  close(): Promise<void>;
}

/** How long entries are collected into one transaction. */
const FLUSH_MS = 250;
const PRUNE_MS = 60_000;
const PENDING_BYTES = 32 * 1024 * 1024;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** All pods that the operator creates have it, those of submitters included. */
const OWN_PODS = 'app.kubernetes.io/created-by=kuberay-operator';

const RAY_TYPES: Readonly<Record<RayKind, ResourceType>> = {
  RayCluster: resources.rayClusters,
  RayJob: resources.rayJobs,
  RayService: resources.rayServices,
  RayCronJob: resources.rayCronJobs,
};

/** What the cache keeps of a pod: its entry, and the containers whose logs are wanted. */
interface PodRecord {
  readonly entry: PodEntry;
  readonly logs: readonly LogTarget[];
}

/**
 * Follows Ray objects, their pods and events, and writes what happens to the store. Nothing waits for it: entries are collected in memory and
 * written in short transactions; while the disk is full or slow, entries wait up to a limit, and what is dropped then is counted.
 */
export function startRecorder(options: RecorderOptions): Recorder {
  return new InformerRecorder(options);
}

class InformerRecorder implements Recorder {
  readonly #options: RecorderOptions;
  readonly #pending = new PendingEntries(PENDING_BYTES);
  readonly #tails: LogTails;
  readonly #stop = new AbortController();
  readonly #following: Promise<unknown>;
  #cancelFlush: (() => void) | undefined;
  #cancelPrune: (() => void) | undefined;
  #retryMs = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { clock, log, transport } = options;
    this.#tails = new LogTails({
      transport,
      now: () => clock.now(),
      log,
      onLog: (entry) => this.#pending.add(entry),
      onMissed: () => this.#pending.countDropped('log'),
    });
    const kinds: readonly RayKind[] = ['RayCluster', 'RayJob', 'RayService', 'RayCronJob'];
    const informers = [...kinds.map((kind) => this.#followKind(kind)), this.#followPods(), this.#followEvents()];
    this.#following = Promise.all(informers.map((informer) => informer.run(this.#stop.signal)));
    this.#scheduleFlush();
    this.#schedulePrune();
  }

  flush(): void {
    const { store, log } = this.#options;
    const entries = this.#pending.takeAll();
    try {
      if (entries.length > 0) store.append(entries);
      for (const [kind, count] of this.#pending.takeDropped()) store.countDropped(kind, count);
      if (this.#retryMs > 0) log.info('the history is written again');
      this.#retryMs = 0;
    } catch (error) {
      this.#pending.putBack(entries);
      if (this.#retryMs === 0)
        log.error('cannot write the history; entries wait in memory and the oldest are dropped', error, {
          remedy: /full/i.test(messageOf(error)) ? 'make room on the disk' : 'check the file and its disk',
        });
      this.#retryMs = Math.min(Math.max(FIRST_RETRY_MS, this.#retryMs * 2), MAX_RETRY_MS);
    }
  }

  async close(): Promise<void> {
    this.#cancelFlush?.();
    this.#cancelPrune?.();
    this.#stop.abort();
    await this.#following;
    this.flush();
  }

  #scheduleFlush(): void {
    this.#cancelFlush = this.#options.clock.setTimer(Math.max(FLUSH_MS, this.#retryMs), () => {
      this.flush();
      if (!this.#stop.signal.aborted) this.#scheduleFlush();
    });
  }

  #schedulePrune(): void {
    const { clock, store, log } = this.#options;
    this.#cancelPrune = clock.setTimer(PRUNE_MS, () => {
      try {
        store.prune(clock.now());
      } catch (error) {
        log.error('cannot delete old history', error);
      }
      if (!this.#stop.signal.aborted) this.#schedulePrune();
    });
  }

  #followKind(kind: RayKind): Informer<VersionEntry> {
    const { clock } = this.#options;
    const informer = createInformer(this.#options, {
      type: RAY_TYPES[kind],
      isForeign: true,
      project: (object) => versionEntry(kind, object),
    });
    const deleted = ({ uid, namespace, name, owner }: Pick<VersionEntry, 'uid' | 'namespace' | 'name' | 'owner'>) =>
      this.#pending.add({
        kind: 'version',
        uid,
        object: kind,
        namespace,
        name,
        owner,
        resourceVersion: '',
        at: clock.now(),
        document: undefined,
      });
    informer.onChange(({ before, after }) => {
      // An object that was recreated under its name while the watch was down.
      if (before !== undefined && before.uid !== after?.uid) deleted(before);
      if (after !== undefined) this.#pending.add({ ...after, at: clock.now() });
    });
    // What was deleted while no recorder ran is missing from the first complete list.
    let isChecked = false;
    informer.onProgress(() => {
      if (isChecked || !informer.hasSynced()) return;
      isChecked = true;
      const living = new Set(Array.from(informer.records(), ({ uid }) => uid));
      for (const object of this.#options.store.living())
        if (object.kind === kind && !living.has(object.uid)) deleted(object);
    });
    return informer;
  }

  #followPods(): Informer<PodRecord> {
    const { clock } = this.#options;
    const informer = createInformer<Pod, PodRecord>(this.#options, {
      type: resources.pods,
      labelSelector: OWN_PODS,
      project: (pod) => ({ entry: podEntry(pod), logs: logTargets(pod) }),
    });
    informer.onChange(({ before, after }) => {
      if (before !== undefined && before.entry.uid !== after?.entry.uid) {
        this.#pending.add({ ...before.entry, deletedAt: clock.now() });
        this.#tails.forget(before.entry.uid);
      }
      if (after === undefined) return;
      const { entry, logs } = after;
      this.#pending.add(entry);
      const hasEnded = ({ container, restart }: LogTarget) =>
        entry.ends.some((end) => end.container === container && end.restart === restart);
      for (const target of logs) this.#tails.want(entry, target, hasEnded(target), this.#stop.signal);
    });
    return informer;
  }

  #followEvents(): Informer<EventEntry | undefined> {
    const informer = createInformer<RecordedEvent, EventEntry | undefined>(this.#options, {
      type: resources.events,
      project: eventEntry,
    });
    informer.onChange(({ after }) => {
      if (after !== undefined) this.#pending.add(after);
    });
    return informer;
  }
}

function versionEntry(kind: RayKind, object: KubeObject): VersionEntry {
  const { uid = '', namespace = '', name = '', resourceVersion = '', ownerReferences = [] } = object.metadata ?? {};
  return {
    kind: 'version',
    uid,
    object: kind,
    namespace,
    name,
    owner: ownerReferences.find(({ controller }) => controller === true)?.uid ?? '',
    resourceVersion,
    at: 0,
    document: redact({ ...object }),
  };
}
