import { millis, type Pod } from '@manta/api';
import {
  type Cluster,
  joinKey,
  nameOf,
  readOne,
  type Stored,
  splitKey,
  type Controller,
  type Enqueue,
  type RequeueAfter,
  type StopController,
  startController,
  pods,
  isNotFound,
} from '@manta/controllers';
import { hasPodEnded, deepEqual } from '@manta/apiserver';
import type { ContainerExit } from '../pods/container-state.ts';
import { type ContainerRun, HEALTHY, type PodRule } from './pod-script.ts';
import { podStatus } from '../pods/pod-status.ts';
import { ScriptedPod } from './scripted-pod.ts';

/** Which pods the kubelet runs and what becomes of them. */
export interface ScriptedKubeletOptions {
  /** The first rule that matches a pod is its script; pods that none matches are healthy. */
  readonly rules?: readonly PodRule[];
  /** The nodes that it acts for; default all. */
  readonly isMyNode?: (name: string) => boolean;
  readonly hostIp?: string;
}

/** Pods that run by a script instead of in containers. */
export interface ScriptedKubelet {
  stop: StopController;
  /** Ends a container of a pod now, or all of them; what follows is up to the pod's restart policy. */
  exit(pod: PodRef, exit: ContainerExit, container?: string): void;
  /** Makes the containers of a pod ready or not, from now on until they restart. */
  setReady(pod: PodRef, isReady: boolean): void;
  /** Puts another rule before all others; it decides about every run that begins from now on. */
  addRule(rule: PodRule): void;
}

export interface PodRef {
  readonly namespace: string;
  readonly name: string;
}

/** How a container ends on SIGTERM: like Ray, which exits with 1. The pod therefore reports `Failed` before it is removed. */
const STOPPED: ContainerExit = { code: 1 };

/** Runs the pods that have been given a node, by rules and by hand, until it is stopped. */
export function startScriptedKubelet(cluster: Cluster, options: ScriptedKubeletOptions = {}): ScriptedKubelet {
  const kubelet = new Kubelet(cluster, options);
  const stop = startController(cluster, kubelet);
  return {
    stop,
    exit: (pod, exit, container) => kubelet.change(pod, (scripted, now) => scripted.exit(exit, now, container)),
    setReady: (pod, isReady) => kubelet.change(pod, (scripted, now) => scripted.setReady(isReady, now)),
    addRule: (rule) => kubelet.rules.unshift(rule),
  };
}

class Kubelet implements Controller {
  readonly name = 'scripted-kubelet';
  readonly watches = [nameOf(pods)];
  readonly rules: PodRule[];
  readonly #cluster: Cluster;
  readonly #options: ScriptedKubeletOptions;
  readonly #pods = new Map<string, ScriptedPod>();
  #addresses = 0;
  #enqueue: Enqueue | undefined;

  constructor(cluster: Cluster, options: ScriptedKubeletOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.rules = [...(options.rules ?? [])];
  }

  started(enqueue: Enqueue): void {
    this.#enqueue = enqueue;
  }

  keysOf({ key }: { readonly key: PodRef }): readonly string[] {
    return [joinKey(key.namespace, key.name)];
  }

  async reconcile(key: string): Promise<RequeueAfter | undefined> {
    const { namespace, name } = splitKey(key);
    const pod = readOne(this.#cluster.store, pods, namespace, name);
    if (pod === undefined || !this.#isMine(pod)) {
      this.#pods.delete(key);
      return undefined;
    }
    const scripted = this.#take(key, pod);
    const now = this.#cluster.world.clock.now();
    const stopAt = pod.metadata.deletionTimestamp === undefined ? undefined : this.#stopAt(scripted, pod, now);
    const isOver = stopAt !== undefined && stopAt <= now;
    if (isOver) scripted.exit(STOPPED, now);
    const afterMs = await this.#report(scripted, pod, isOver, now);
    if (isOver) await this.#remove(pod);
    const waits = [afterMs, stopAt === undefined || isOver ? undefined : stopAt - now].filter(
      (wait) => wait !== undefined,
    );
    return waits.length === 0 || isOver ? undefined : { afterMs: Math.min(...waits) };
  }

  change({ namespace, name }: PodRef, apply: (pod: ScriptedPod, nowMs: number) => void): void {
    const key = joinKey(namespace, name);
    const scripted = this.#pods.get(key);
    if (scripted === undefined) throw new Error(`pod ${key} does not run here: it has no node yet, or is gone`);
    apply(scripted, this.#cluster.world.clock.now());
    this.#enqueue?.(key);
  }

  #isMine({ spec }: Pod): boolean {
    const { nodeName = '' } = spec ?? {};
    return nodeName !== '' && (this.#options.isMyNode?.(nodeName) ?? true);
  }

  #take(key: string, pod: Stored<Pod>): ScriptedPod {
    const known = this.#pods.get(key);
    if (known?.uid === pod.metadata.uid) return known;
    const begin = millis(pod.status?.startTime) ?? this.#cluster.world.clock.now();
    const scripted = new ScriptedPod(pod, begin, pod.status?.podIP ?? this.#nextAddress(), (run) => this.#runOf(run));
    this.#pods.set(key, scripted);
    return scripted;
  }

  #ruleOf(pod: Stored<Pod>): PodRule {
    return this.rules.find(({ matches }) => matches?.(pod) ?? true) ?? HEALTHY;
  }

  #runOf(run: { readonly pod: Stored<Pod>; readonly container: string; readonly attempt: number }): ContainerRun {
    return this.#ruleOf(run.pod).run?.(run) ?? {};
  }

  #stopAt(scripted: ScriptedPod, pod: Stored<Pod>, now: number): number | undefined {
    const { stopAfterMs = 0 } = this.#ruleOf(pod);
    if (stopAfterMs === 'never') return undefined;
    const grace = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    return scripted.askedToStopAt(now) + Math.min(stopAfterMs, grace);
  }

  /** Writes a changed status; returns the time until its next change. */
  async #report(scripted: ScriptedPod, pod: Stored<Pod>, isOver: boolean, now: number): Promise<number | undefined> {
    // A pod that has ended stays as it is, however it was reported.
    if (hasPodEnded(pod)) return undefined;
    const { containers, nextMs } = scripted.at(now, isOver);
    const { podIp, startMs } = scripted;
    const view = { pod, containers, podIp, hostIp: this.#options.hostIp ?? '192.168.0.1', startMs, nowMs: now };
    const status = podStatus(view);
    if (!deepEqual(status, pod.status))
      await this.#cluster.writes.update(pods, { ...pod, status }, { subresource: 'status' });
    return nextMs === undefined ? undefined : nextMs - now;
  }

  async #remove({ metadata }: Stored<Pod>): Promise<void> {
    try {
      await this.#cluster.writes.delete(pods, metadata, {
        gracePeriodSeconds: 0,
        preconditions: { uid: metadata.uid },
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #nextAddress(): string {
    this.#addresses += 1;
    return `10.244.${Math.floor(this.#addresses / 256) % 256}.${this.#addresses % 256}`;
  }
}
