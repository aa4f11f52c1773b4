import { Label, NodeType } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import { isTerminal } from '@manta/ray';
import { FakeHead, type FakeRequest } from '@manta/ray/testing';
import type { Backstage } from '../scenario.ts';
import { lifeOf, writeDown } from './ledger.ts';
import { isGoing, SHARED, STORED } from './stage.ts';

const worlds = new WeakMap<Backstage['api'], RayWorld>();

/** Ray in this run. */
export function rayWorldOf(backstage: Backstage): RayWorld {
  const known = worlds.get(backstage.api) ?? new RayWorld(backstage);
  worlds.set(backstage.api, known);
  return known;
}

const RUN_MS = [0, 500, 5_000, 15_000, 40_000];
/** Longer than anything that goes wrong: whoever is to stop such a job has the time for it. */
export const LONG_MS = 240_000;

/** One Ray head for each head pod: jobs begin, run for a while and end. A head's jobs go with it. */
export class RayWorld {
  readonly #backstage: Backstage;
  readonly #heads = new Map<string, FakeHead>();
  /** At which point of the operator's next call to Ray it is to die; `together`: with the head, once that has begun a job. */
  crashAt: 'sending' | 'acting' | 'hearing' | 'together' | undefined;
  readonly #settled = new Set<string>();

  constructor(backstage: Backstage) {
    this.#backstage = backstage;
  }

  /** The pod of the head that a cluster has now. */
  podOf(cluster: string): StoredObject | undefined {
    return this.#backstage.api.store
      .list(STORED.pods)
      .find(
        (pod) =>
          pod.metadata.labels?.[Label.Cluster] === cluster &&
          pod.metadata.labels[Label.NodeType] === NodeType.Head &&
          !isGoing(pod) &&
          isRunning(pod),
      );
  }

  headOf(pod: StoredObject): FakeHead {
    const life = lifeOf(pod);
    const known = this.#heads.get(life) ?? new FakeHead({ now: () => this.#backstage.clock.now() });
    this.#heads.set(life, known);
    return known;
  }

  get all(): readonly FakeHead[] {
    return [...this.#heads.values()];
  }

  /** What the head on this pod answers; jobs that begin or end by it are written down. */
  answer(pod: StoredObject, request: FakeRequest) {
    const head = this.headOf(pod);
    const begun = head.executions.length;
    const answer = head.answer(request);
    for (const { id } of head.executions.slice(begun)) this.#begin(pod, id);
    for (const id of head.jobs.keys()) this.#noteEnd(pod, id);
    return answer;
  }

  #begin(pod: StoredObject, id: string): void {
    const { clock, choices } = this.#backstage;
    const head = this.headOf(pod);
    writeDown(this.#backstage, { what: 'began', id, head: lifeOf(pod), status: '' });
    const pendingMs = RUN_MS[choices.pick(3)] ?? 0;
    const runMs = choices.chance(isShared(pod) ? 0.3 : 0.02) ? LONG_MS : (RUN_MS[choices.pick(RUN_MS.length)] ?? 0);
    const outcome = choices.chance(0.35) ? 'FAILED' : 'SUCCEEDED';
    const change = (status: string) => () => {
      const job = head.jobs.get(id);
      if (job === undefined || isTerminal(job.status) || !this.#lives(pod)) return;
      head.setJob(id, { status, message: status.toLowerCase() });
      this.#noteEnd(pod, id);
    };
    clock.setTimer(pendingMs, change('RUNNING'));
    clock.setTimer(pendingMs + runMs, change(outcome));
  }

  #noteEnd(pod: StoredObject, id: string): void {
    const status = this.headOf(pod).jobs.get(id)?.status ?? '';
    const key = `${lifeOf(pod)} ${id}`;
    if (!isTerminal(status) || this.#settled.has(key)) return;
    this.#settled.add(key);
    writeDown(this.#backstage, { what: 'ended', id, head: lifeOf(pod), status });
  }

  #lives(pod: StoredObject): boolean {
    const { namespace = '', name } = pod.metadata;
    const now = this.#backstage.api.store.get({ resource: STORED.pods, namespace, name });
    return now !== undefined && lifeOf(now) === lifeOf(pod);
  }
}

function isShared({ metadata }: StoredObject): boolean {
  return metadata.labels?.[Label.Cluster] === SHARED;
}

function isRunning(pod: StoredObject): boolean {
  const { status } = pod as { readonly status?: { readonly phase?: string } };
  return status?.phase === 'Running';
}
