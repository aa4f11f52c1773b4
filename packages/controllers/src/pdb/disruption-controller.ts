import { ownValue } from '@manta/base';
import { type LabelSelector, type Pod, timestamp } from '@manta/api';
import { deepEqual, isPodReady, selects, type StoreEvent } from '@manta/apiserver';
import { type Cluster, joinKey, nameOf, readAll, readOne, type Stored, splitKey } from '../framework/cluster.ts';
import type { Controller, RequeueAfter } from '../framework/controller.ts';
import { createEventRecorder, type RecordEvent } from '../framework/event-recorder.ts';
import {
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  podDisruptionBudgets,
  pods,
} from '../framework/kinds.ts';
import { type Budget, budgetOf, countsPodsThemselves, disruptionsUnderWay } from './budget.ts';
import { expectedPods, ScaleError } from './expected-pods.ts';

type StoredBudget = Stored<PodDisruptionBudget>;

/** Keeps the status of PodDisruptionBudgets: how many of their pods may be evicted now. */
export function disruptionController(cluster: Cluster): Controller {
  const record = createEventRecorder(cluster, 'controllermanager');
  return {
    name: 'disruption',
    watches: [nameOf(podDisruptionBudgets), nameOf(pods)],
    keysOf: (event) => keysOf(cluster, event),
    reconcile: async (key) => {
      const { namespace, name } = splitKey(key);
      const budget = readOne(cluster.store, podDisruptionBudgets, namespace, name);
      return budget === undefined ? undefined : await sync(cluster, record, budget);
    },
  };
}

function keysOf({ store }: Cluster, { key, object, before }: StoreEvent): readonly string[] {
  if (key.resource === nameOf(podDisruptionBudgets)) return [joinKey(key.namespace, key.name)];
  return readAll(store, podDisruptionBudgets, key.namespace)
    .filter(({ spec }) =>
      [object, before].some((pod) => pod !== undefined && selects(spec?.selector, pod.metadata.labels)),
    )
    .map(({ metadata }) => joinKey(key.namespace, metadata.name));
}

async function sync(cluster: Cluster, record: RecordEvent, budget: StoredBudget): Promise<RequeueAfter | undefined> {
  const { namespace = '' } = budget.metadata;
  const selected = readAll(cluster.store, pods, namespace).filter(({ metadata }) =>
    selects(budget.spec?.selector, metadata.labels),
  );
  if (selected.length === 0 && budget.status?.observedGeneration !== budget.metadata.generation) {
    await record(budget, 'Normal', 'NoPods', 'No matching pods found');
  }
  try {
    const wanted = await wantedOf(cluster, record, budget, selected);
    return await writeCounts(cluster, budget, selected, wanted);
  } catch (error) {
    if (!(error instanceof ScaleError)) throw error;
    await fail(cluster, record, budget, error.message);
    return undefined;
  }
}

async function wantedOf(
  { store, resources }: Cluster,
  record: RecordEvent,
  budget: StoredBudget,
  selected: readonly Stored<Pod>[],
): Promise<Budget> {
  if (countsPodsThemselves(budget)) return budgetOf(budget, selected.length);
  const { count, unmanaged } = expectedPods(store, resources(), selected);
  if (unmanaged.length > 0 && budget.status?.observedGeneration !== budget.metadata.generation) {
    const message = `Pods selected by this PodDisruptionBudget (selector: ${describe(budget.spec?.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
    await record(budget, 'Warning', 'UnmanagedPods', message);
  }
  return budgetOf(budget, count);
}

async function writeCounts(
  cluster: Cluster,
  budget: StoredBudget,
  selected: readonly Stored<Pod>[],
  { expected, desired }: Budget,
): Promise<RequeueAfter | undefined> {
  const nowMs = cluster.world.clock.now();
  const alive = selected.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const isThere = (name: string) => alive.some(({ metadata }) => metadata.name === name);
  const { pods: disrupted, nextMs } = disruptionsUnderWay(budget.status?.disruptedPods ?? {}, isThere, nowMs);
  const healthy = alive.filter((pod) => isPodReady(pod) && ownValue(disrupted, pod.metadata.name) === undefined).length;
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
  const { generation = 1 } = budget.metadata;
  await write(cluster, budget, {
    observedGeneration: generation,
    ...(Object.keys(disrupted).length === 0 ? {} : { disruptedPods: disrupted }),
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    ...conditions(budget, nowMs, {
      status: allowed > 0 ? 'True' : 'False',
      reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
      message: '',
      observedGeneration: generation,
    }),
  });
  return nextMs === undefined ? undefined : { afterMs: nextMs - nowMs };
}

async function fail(cluster: Cluster, record: RecordEvent, budget: StoredBudget, why: string): Promise<void> {
  const before = budget.status?.conditions?.find(({ type }) => type === 'DisruptionAllowed');
  if (before?.reason === 'SyncFailed' && before.message === why) return;
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods: expected = 0, ...rest } = budget.status ?? {};
  const counts = { currentHealthy, desiredHealthy, expectedPods: expected, disruptionsAllowed: 0 };
  const condition = { status: 'False', reason: 'SyncFailed', message: why } as const;
  await write(cluster, budget, { ...rest, ...counts, ...conditions(budget, cluster.world.clock.now(), condition) });
  const message = `Failed to calculate the number of expected pods: ${why}`;
  await record(budget, 'Warning', 'CalculateExpectedPodCountFailed', message);
}

interface Finding {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

/** The one condition, with its time kept while its status stays. */
function conditions(
  { status }: StoredBudget,
  nowMs: number,
  finding: Finding,
): Pick<PodDisruptionBudgetStatus, 'conditions'> {
  const old = status?.conditions?.find(({ type }) => type === 'DisruptionAllowed');
  const lastTransitionTime = old?.status === finding.status ? old.lastTransitionTime : timestamp(nowMs);
  const others = (status?.conditions ?? []).filter(({ type }) => type !== 'DisruptionAllowed');
  return { conditions: [...others, { type: 'DisruptionAllowed', ...finding, lastTransitionTime }] };
}

async function write({ writes }: Cluster, budget: StoredBudget, status: PodDisruptionBudgetStatus): Promise<void> {
  if (deepEqual(budget.status, status)) return;
  await writes.update(podDisruptionBudgets, { ...budget, status }, { subresource: 'status' });
}

/** A selector in the words of the real controller's message. */
function describe({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string {
  const labels = Object.entries(matchLabels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const map = `map[string]string{${labels.join('')}}`;
  return `&LabelSelector{MatchLabels:${map},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
