import type { Pod } from '@manta/api';
import type { Stored } from '@manta/controllers';
import { advance, momentOf, type Timeline } from './container-timeline.ts';
import type { ContainerExit } from '../pods/container-state.ts';
import type { ContainerRun, RunOf } from './pod-script.ts';
import { type ContainerView, restartPolicyOf } from '../pods/pod-status.ts';

/** One pod on its way through its script: a timeline for each container. */
export class ScriptedPod {
  readonly uid: string;
  readonly podIp: string;
  readonly startMs: number;
  readonly #pod: Stored<Pod>;
  readonly #runOf: (run: RunOf) => ContainerRun;
  readonly #timelines: Map<string, Timeline>;
  #askedToStopMs: number | undefined;

  constructor(pod: Stored<Pod>, startMs: number, podIp: string, runOf: (run: RunOf) => ContainerRun) {
    this.uid = pod.metadata.uid;
    this.podIp = podIp;
    this.startMs = startMs;
    this.#pod = pod;
    this.#runOf = runOf;
    this.#timelines = new Map(
      (pod.spec?.containers ?? []).map(({ name }) => [name, { attempt: 0, beginMs: startMs, run: this.#run(name, 0) }]),
    );
  }

  /** The containers at a time, including restarts, and when their state changes next. A terminated pod restarts nothing. */
  at(
    nowMs: number,
    isOver: boolean,
  ): { readonly containers: readonly ContainerView[]; readonly nextMs: number | undefined } {
    const policy = isOver ? 'Never' : restartPolicyOf(this.#pod);
    const containers = (this.#pod.spec?.containers ?? []).map(({ name, image = '' }) => {
      const timeline = advance(this.#timeline(name), nowMs, policy, (attempt) => this.#run(name, attempt));
      this.#timelines.set(name, timeline);
      return { name, image, attempt: timeline.attempt, moment: momentOf(timeline, nowMs), last: timeline.last };
    });
    const times = containers.flatMap(({ moment }) =>
      'nextMs' in moment && moment.nextMs !== undefined ? [moment.nextMs] : [],
    );
    return { containers, nextMs: times.length === 0 ? undefined : Math.min(...times) };
  }

  /** Ends the present run of a container, or of all, now; one that has not begun ends without having run. */
  exit(exit: ContainerExit, nowMs: number, container?: string): void {
    for (const name of container === undefined ? this.#timelines.keys() : [container]) {
      const timeline = this.#timeline(name);
      const moment = momentOf(timeline, nowMs);
      if (moment.state === 'ended') continue;
      const startMs = moment.state === 'running' ? moment.startMs : nowMs;
      const run = { ...timeline.run, startAfterMs: 0, exit: { ...exit, afterMs: nowMs - startMs } };
      this.#timelines.set(name, { ...timeline, beginMs: startMs, run });
    }
  }

  setReady(isReady: boolean, nowMs: number): void {
    for (const [name, timeline] of this.#timelines) {
      const moment = momentOf(timeline, nowMs);
      const readyAfterMs = isReady
        ? Math.max(0, nowMs - (moment.state === 'running' ? moment.startMs : nowMs))
        : 'never';
      this.#timelines.set(name, { ...timeline, run: { ...timeline.run, readyAfterMs } });
    }
  }

  /** When the pod was first seen to be asked to stop. */
  askedToStopAt(nowMs: number): number {
    this.#askedToStopMs ??= nowMs;
    return this.#askedToStopMs;
  }

  #timeline(container: string): Timeline {
    const timeline = this.#timelines.get(container);
    if (timeline === undefined) throw new Error(`pod ${this.#pod.metadata.name} has no container ${container}`);
    return timeline;
  }

  #run(container: string, attempt: number): ContainerRun {
    return this.#runOf({ pod: this.#pod, container, attempt });
  }
}
