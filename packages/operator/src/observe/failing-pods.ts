import { GroupName, NodeType, type RayCluster } from '@manta/api';
import { type CreateBackoffs, type EndedPodRule, type PodRecord, reasonToDelete } from '@manta/plan';
import type { Informer } from '@manta/runtime';

/** So many failures in a row cost nothing; from then on replacements wait, each time twice as long. */
const FREE_FAILURES = 3;
const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
/** After so long without a failure the count starts again at one. */
const FORGET_MS = 900_000;
/** A pod that lived this long worked: its failure is not a repetition of the one before. */
const WORKED_MS = 600_000;

interface Row {
  readonly count: number;
  readonly lastAt: number;
}

/** Places of a group whose pods failed, and until when each stays empty. */
type Places = readonly number[];

/**
 * Counts pods that fail on their own, by worker group and by node. Not counted are pods that are being deleted
 * (Ray exits with 1 on SIGTERM, so they become `Failed` briefly) and pods that Kubernetes evicts (a drain, a preemption, a
 * node that is shut down). A failure counts only if the pod is younger than the failure before it: a whole group that fails at once
 * counts once, a replacement that fails like its predecessor counts again. Heads are delayed by failures of their own cluster's heads
 * only, workers also by failures on their node. Clusters are identified by uid, so a recreated cluster starts without counts.
 * The counts only determine the creation backoff (`create-backoff.ts`); a restart of the operator loses them.
 */
export class FailingPods {
  readonly #now: () => number;
  readonly #groups = new Map<string, Row>();
  readonly #nodes = new Map<string, Row>();
  readonly #places = new Map<string, Places>();

  constructor(pods: Informer<PodRecord, 'cluster'>, now: () => number, rule: EndedPodRule) {
    this.#now = now;
    pods.onChange(({ before, after }) => {
      const hasFailed = (pod: PodRecord | undefined) =>
        pod !== undefined && pod.isDisrupted !== true && reasonToDelete(pod, rule) !== undefined;
      if (after !== undefined && hasFailed(after) && !hasFailed(before)) this.#failed(after);
    });
  }

  /** How many places of a group stay empty for now, and when the first of them may be filled. The cluster is given by its uid. */
  held(cluster: string, group: string): { readonly places: number; readonly until: number } | undefined {
    const now = this.#now();
    const places = (this.#places.get(`${cluster}/${group}`) ?? []).filter((until) => until > now);
    return places.length === 0 ? undefined : { places: places.length, until: Math.min(...places) };
  }

  /** The creations of a cluster that are delayed, by group. */
  backoffs({ metadata, spec }: RayCluster): CreateBackoffs {
    const groups = [GroupName.Head, ...(spec?.workerGroupSpecs ?? []).map(({ groupName }) => groupName)];
    return new Map(
      groups.flatMap((group) => {
        const held = this.held(metadata?.uid ?? '', group);
        return held === undefined ? [] : [[group, { kind: 'failing', ...held }]];
      }),
    );
  }

  #failed(pod: PodRecord): void {
    if (pod.owner === undefined) return;
    const now = this.#now();
    this.#prune(now);
    const group = `${pod.owner}/${pod.group}`;
    const inGroup = count(this.#groups, group, pod, now);
    const onNode = pod.node === '' ? 0 : count(this.#nodes, pod.node, pod, now);
    const failures = pod.nodeType === NodeType.Head ? inGroup : Math.max(inGroup, onNode);
    const delayMs = delayAfter(failures);
    if (delayMs > 0) this.#places.set(group, [...(this.#places.get(group) ?? []), now + delayMs]);
  }

  /** Rows are in the order of their last counted failure, oldest first. */
  #prune(now: number): void {
    for (const rows of [this.#groups, this.#nodes]) {
      for (const [key, { lastAt }] of rows) {
        if (now - lastAt <= FORGET_MS) break;
        rows.delete(key);
      }
    }
    for (const [group, places] of this.#places) {
      const left = places.filter((until) => until > now);
      if (left.length === 0) this.#places.delete(group);
      else this.#places.set(group, left);
    }
  }
}

function count(rows: Map<string, Row>, key: string, { createdAt }: PodRecord, now: number): number {
  const row = rows.get(key);
  // Creation times are whole seconds. Only counted failures update `lastAt`; otherwise a fast loop would never be counted.
  if (row !== undefined && createdAt <= row.lastAt) return row.count;
  const isRepeated = row !== undefined && now - row.lastAt <= FORGET_MS && now - createdAt < WORKED_MS;
  const next = isRepeated ? row.count + 1 : 1;
  rows.delete(key);
  rows.set(key, { count: next, lastAt: now });
  return next;
}

function delayAfter(failures: number): number {
  return failures <= FREE_FAILURES ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - FREE_FAILURES - 1));
}
