import { type ConditionVerdict, isConditionTrue, RayClusterConditionType, type RayClusterStatus } from '@manta/api';
import { withCondition } from '../../../packages/plan/src/shared/conditions.ts';
import type { Backstage } from '../scenario.ts';
import { asCluster, NAMESPACE, STORED } from './stage.ts';

const { HeadPodReady, Provisioned } = RayClusterConditionType;
const verdict = (status: 'True' | 'False', reason: string): ConditionVerdict => ({ status, reason, message: '' });
const NO_HEAD = verdict('False', 'HeadPodNotFound');
const READY = verdict('True', 'HeadPodRunningAndReady');
const NOT_READY = verdict('False', 'ContainersNotReady');

/** When the last worker of a cluster has come, after its head. */
const WORKERS_MS = [0, 5_000, 20_000];

/** What a cluster's controller says of a new one: nothing is there yet. */
export function markComing(backstage: Backstage, name: string): void {
  write(backstage, name, (status, say) =>
    status.conditions === undefined
      ? say(say(status, HeadPodReady, NO_HEAD), Provisioned, verdict('False', 'RayClusterPodsProvisioning'))
      : undefined,
  );
}

/** Its head is ready, and the rest will be. */
export function markReady(backstage: Backstage, name: string, podName: string): void {
  const { clock, choices } = backstage;
  const head = { podName, serviceName: `${name}-head-svc` };
  write(backstage, name, (status, say) => say({ ...status, head }, HeadPodReady, READY));
  clock.setTimer(WORKERS_MS[choices.pick(WORKERS_MS.length)] ?? 0, () => {
    write(backstage, name, (status, say) =>
      status.head?.podName === podName
        ? say({ ...status, state: 'ready' }, Provisioned, verdict('True', 'AllPodRunningAndReadyFirstTime'))
        : undefined,
    );
  });
}

/** Its controller tells of a head that is gone a little later. */
export function markLost(backstage: Backstage, name: string, podName: string): void {
  backstage.clock.setTimer(50, () => {
    write(backstage, name, (status, say) =>
      status.head?.podName === podName
        ? say({ ...status, head: { serviceName: `${name}-head-svc` } }, HeadPodReady, NO_HEAD)
        : undefined,
    );
  });
}

/** Its head is there and does not pass its probe, for so long. */
export function markUnwell(backstage: Backstage, name: string, forMs: number): void {
  const turn = (isReady: boolean) =>
    write(backstage, name, (status, say) =>
      status.head?.podName !== undefined && isConditionTrue(status.conditions, HeadPodReady) !== isReady
        ? say(status, HeadPodReady, isReady ? READY : NOT_READY)
        : undefined,
    );
  turn(false);
  backstage.clock.setTimer(forMs, () => turn(true));
}

/** Whether all of a cluster was there once: from then on it gets no second head where that is not wanted. */
export function isProvisioned({ conditions }: RayClusterStatus = {}): boolean {
  return isConditionTrue(conditions, Provisioned);
}

type Say = (status: RayClusterStatus, type: string, verdict: ConditionVerdict) => RayClusterStatus;

function write(
  { api, clock }: Backstage,
  name: string,
  change: (status: RayClusterStatus, say: Say) => RayClusterStatus | undefined,
): void {
  const key = { resource: STORED.clusters, namespace: NAMESPACE, name };
  const cluster = api.store.get(key);
  if (cluster === undefined) return;
  const status = change(asCluster(cluster).status ?? {}, (before, type, what) => ({
    ...before,
    conditions: withCondition(before.conditions ?? [], type, what, { now: clock.now() }),
  }));
  if (status === undefined) return;
  api.store.update(key, { ...cluster, status: { ...status, lastUpdateTime: new Date(clock.now()).toISOString() } });
}
