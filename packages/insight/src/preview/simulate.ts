import { JobDeploymentStatus, Label, NodeType, type Pod, type RayJob, type RayService, serviceNames } from '@manta/api';
import { adoptedRoute, HEAD_PLACE, placeName, podRecord, type RayAction, UNSHARED } from '@manta/plan';
import type { VirtualChange } from './virtual-cluster.ts';
import type { VirtualOperator } from './virtual-operator.ts';

/** One thing that happened in a simulation. */
export type Happening =
  | { readonly kind: 'change'; readonly change: VirtualChange }
  | { readonly kind: 'command'; readonly command: RayAction }
  /** The share of requests that each RayCluster of a RayService gets, in percent. */
  | { readonly kind: 'traffic'; readonly shares: ReadonlyMap<string, number> };

/** The outcome of a simulation. */
export interface Simulation {
  readonly happenings: readonly Happening[];
  /** Why the operator does not get further, if it does not. */
  readonly failure: string | undefined;
}

/** A RayService steps traffic every 2 seconds or slower; more rounds mean that the planners never settle. */
const MAX_ROUNDS = 3000;
const STEP_MS = 1000;
const QUIET_MS = 10_000;
/** A RayService deletes a cluster that is out of use after a delay. */
const SERVICE_QUIET_MS = 90_000;

/** A RayJob whose spec was invalid goes on some time after its correction. */
const SPEC_FIX_MS = 20_000;

/** Runs operator, kubelet and Ray until nothing happens any more. `watch` sees every moment. */
export function simulate(operator: VirtualOperator, watch: () => void = () => undefined): Simulation {
  const { world } = operator;
  const happenings: Happening[] = [];
  const seen = { changes: world.changes.length, commands: operator.commands.length };
  let shares = JSON.stringify([...trafficShares(operator)]);
  let failure: string | undefined;
  let quietSince = world.now;
  const quietMs = quietTime(operator);

  function record(): void {
    for (const change of world.changes.slice(seen.changes)) happenings.push({ kind: 'change', change });
    for (const command of operator.commands.slice(seen.commands)) happenings.push({ kind: 'command', command });
    seen.changes = world.changes.length;
    seen.commands = operator.commands.length;
    const traffic = trafficShares(operator);
    const text = JSON.stringify([...traffic]);
    if (text !== shares) happenings.push({ kind: 'traffic', shares: traffic });
    shares = text;
    watch();
  }

  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { isBusy, requeueAfterMs, failures } = operator.round();
    failure = failures[0];
    record();
    const hasMoved = runKubelet(operator);
    record();
    if (isBusy || hasMoved) {
      world.now += STEP_MS;
      quietSince = world.now;
      continue;
    }
    const left = quietSince + quietMs - world.now;
    if (left <= 0) return { happenings, failure };
    world.now += Math.min(left, Math.max(STEP_MS, requeueAfterMs ?? quietMs));
  }
  return { happenings, failure: failure ?? 'the simulation did not come to rest' };
}

function quietTime({ world }: VirtualOperator): number {
  const delays = [...world.objects.RayService.values()].map(({ spec }) => {
    const strategy = spec?.upgradeStrategy?.clusterUpgradeOptions;
    return SERVICE_QUIET_MS + 1000 * ((spec?.rayClusterDeletionDelaySeconds ?? 0) + (strategy?.intervalSeconds ?? 0));
  });
  return Math.max(QUIET_MS, ...delays, ...[...world.objects.RayJob.values()].map(cleanupMs));
}

/** A job that has ended deletes its cluster or itself after a while. A running job stays as it is: how long it runs is not known. */
function cleanupMs({ spec, status }: RayJob): number {
  const { Complete, Failed, ValidationFailed } = JobDeploymentStatus;
  if (status?.jobDeploymentStatus === ValidationFailed) return SPEC_FIX_MS;
  const hasEnded = status?.jobDeploymentStatus === Complete || status?.jobDeploymentStatus === Failed;
  const delays = (spec?.deletionStrategy?.deletionRules ?? []).map(({ condition }) => condition.ttlSeconds ?? 0);
  return hasEnded ? QUIET_MS + 1000 * Math.max(spec?.ttlSecondsAfterFinished ?? 0, ...delays) : QUIET_MS;
}

/** Terminating pods end, others become ready at once, and Gateways and cleanup Jobs do their work. Returns whether anything changed. */
function runKubelet({ world, ray }: VirtualOperator): boolean {
  const ended = world.removeTerminated();
  for (const pod of ended) {
    const record = podRecord(pod, UNSHARED);
    const places = ray.lastHolders.get(record.owner ?? '') ?? new Map();
    places.set(record.head === undefined ? `${record.group}/${placeOf(record)}` : HEAD_PLACE, record);
    ray.lastHolders.set(record.owner ?? '', places);
  }
  let hasMoved = ended.length > 0;
  for (const [name, pod] of world.objects.Pod) {
    if (isReady(pod)) continue;
    world.objects.Pod.set(name, readyPod(pod, world.objects.Pod.size + ended.length, name));
    hasMoved = true;
  }
  for (const [name, job] of world.objects.Job) {
    const isCleanup = job.metadata?.labels?.[Label.NodeType] === NodeType.RedisCleanup;
    if (!isCleanup || job.status?.conditions !== undefined) continue;
    const done = { type: 'Complete', status: 'True', lastTransitionTime: new Date(world.now).toISOString() } as const;
    world.objects.Job.set(name, { ...job, status: { ...job.status, conditions: [done] } });
    hasMoved = true;
  }
  return programGateways(world) || hasMoved;
}

function placeOf({ replicaIndex, replicaName, hostIndex }: ReturnType<typeof podRecord>): string {
  const index = replicaIndex ?? 0;
  return placeName(replicaName === undefined ? { index } : { index, host: { replicaName, index: hostIndex ?? 0 } });
}

function isReady({ status }: Pod): boolean {
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return isOver || status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

function readyPod(pod: Pod, count: number, name: string): Pod {
  const podIP = pod.status?.podIP ?? `10.1.${Math.floor(count / 250)}.${count % 250}/${name}`;
  return {
    ...pod,
    spec: { containers: [], ...pod.spec, nodeName: pod.spec?.nodeName ?? 'preview' },
    status: { phase: 'Running', podIP, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

/** A Gateway's controller accepts what it is given. */
function programGateways({ objects }: VirtualOperator['world']): boolean {
  let hasMoved = false;
  const yes = (type: string) => ({ type, status: 'True' });
  for (const [name, gateway] of objects.Gateway) {
    if (gateway.status?.conditions?.some(({ type }) => type === 'Programmed') === true) continue;
    objects.Gateway.set(name, { ...gateway, status: { conditions: [yes('Accepted'), yes('Programmed')] } });
    hasMoved = true;
  }
  for (const [name, route] of objects.HTTPRoute) {
    if ((route.status?.parents ?? []).length > 0) continue;
    const parents = (route.spec?.parentRefs ?? []).map((parentRef) => ({
      parentRef,
      conditions: [yes('Accepted'), yes('ResolvedRefs')],
    }));
    if (parents.length === 0) continue;
    objects.HTTPRoute.set(name, { ...route, status: { parents } });
    hasMoved = true;
  }
  return hasMoved;
}

/** Who gets the requests of all RayServices, in percent by RayCluster. */
export function trafficShares(operator: VirtualOperator): ReadonlyMap<string, number> {
  const entries = [...operator.world.objects.RayService.values()].flatMap((service) => [
    ...sharesOf(operator, service),
  ]);
  return new Map(entries);
}

function sharesOf({ world: { objects } }: VirtualOperator, service: RayService): ReadonlyMap<string, number> {
  const name = service.metadata?.name ?? '';
  const route = objects.HTTPRoute.get(adoptedRoute({ service }) ?? serviceNames.httpRoute(name));
  const backends = (route?.spec?.rules ?? []).flatMap(({ backendRefs = [] }) => backendRefs);
  const clusterBehind = (each: string) => objects.Service.get(each)?.spec?.selector?.[Label.Cluster];
  if (backends.length > 0) {
    return new Map(
      backends.flatMap((backend) => {
        const cluster = clusterBehind(backend.name);
        return cluster === undefined ? [] : [[cluster, backend.weight ?? 1] as const];
      }),
    );
  }
  const cluster = clusterBehind(serviceNames.serve(name, service.spec?.serveService?.metadata?.name));
  return cluster === undefined ? new Map() : new Map([[cluster, 100]]);
}
