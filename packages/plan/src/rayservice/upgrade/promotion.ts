import { Label } from '@manta/api';
import { isControlledBy } from '../../build/align-service.ts';
import { compareCluster } from './compare-cluster.ts';
import { isRejected } from './progress-deadline.ts';
import type { ServiceCluster } from '../observed.ts';
import { isRollbackComplete } from './rollback.ts';
import { serveServiceName } from '../traffic/kube-services.ts';
import { areApplicationsRunning, isServing, selectedPods, servingPods } from '../serve/serving.ts';
import { endpointsOf, isRouteCurrent } from '../traffic/migration.ts';
import { isShifting, type Subject } from '../service-state.ts';

/** Who serves, and who comes and goes, as decided in one pass. */
export interface Succession {
  /** The cluster that the service's own Services lead to; undefined while none serves. */
  readonly target: ServiceCluster | undefined;
  /** What becomes of the pending cluster: it takes over, it is given up, or it stays what it is. */
  readonly pending: 'promoted' | 'dropped' | 'kept';
  /** Whether yet another cluster is to be made ready. */
  readonly needsNext: boolean;
}

export function successionOf(subject: Subject): Succession {
  const { active, pending } = subject;
  if (isPromoted(subject)) return { target: pending.view, pending: 'promoted', needsNext: false };
  const isDropped = isCancelled(subject) || isRolledBack(subject);
  const needsNext = isDropped ? isOutdated(subject, active.view) : needsNextCluster(subject);
  return { target: active.view, pending: isDropped ? 'dropped' : 'kept', needsNext };
}

/** Whether the spec that is wanted asks for a cluster that is neither there nor on its way. */
export function needsNextCluster(subject: Subject): boolean {
  const { active, pending, isRollingBack } = subject;
  const isOnItsWay = pending.name !== '' && pending.view === undefined;
  if (isRollingBack || isOnItsWay) return false;
  if (active.view !== undefined && isRejected(subject)) return false;
  // The only one that can serve takes over first, outdated or not.
  const isLastHope = active.view === undefined && pending.view !== undefined && areApplicationsRunning(pending.view);
  if (isLastHope) return false;
  const judged = pending.view ?? active.view;
  return judged === undefined || isOutdated(subject, judged);
}

function isOutdated(subject: Subject, view: ServiceCluster | undefined): boolean {
  if (view === undefined || subject.strategy.kind === 'none' || isRejected(subject)) return false;
  return compareCluster(subject, view.cluster).verdict === 'different';
}

function isPromoted(subject: Subject): boolean {
  const { active, pending, spec, strategy } = subject;
  if (pending.view === undefined) return false;
  if (active.view === undefined && isLedTo(subject, pending.name)) return true;
  const isReady = isServing(subject, pending, spec.serveConfigV2 ?? '');
  if (isShifting(subject)) {
    // A cluster that is lost cannot be gone back to: whoever can serve takes over.
    if (active.view === undefined) return isReady;
    const hasAll = active.status.targetCapacity === 0 && pending.status.trafficRoutedPercent === 100;
    return !subject.isRollingBack && hasAll && isRouteCurrent(subject);
  }
  if (strategy.kind === 'incremental') return active.name === '' && isReady;
  return isReady && (pending.status.targetCapacity ?? 100) === 100 && canSwitch(subject, pending.view);
}

/**
 * Whether the clients of the service are led to a cluster already: it has taken over, and only the word of it was lost. Whatever is wanted
 * of it by now, nobody else serves them.
 */
function isLedTo({ services, uid }: Subject, cluster: string): boolean {
  return [...services.values()].some(
    (way) => isControlledBy(way, uid) && way.spec?.selector?.[Label.Cluster] === cluster,
  );
}

/**
 * All traffic moves at once, so the next cluster needs a serving pod, unless the active cluster has none either. An EndpointSlice alone does
 * not prove that the active cluster serves: it may be stale, or written by a user.
 */
function canSwitch(subject: Subject, next: ServiceCluster): boolean {
  const hasEndpoints = (subject.endpoints.get(serveServiceName(subject)) ?? 0) > 0;
  const isServedNow = hasEndpoints && subject.active.view !== undefined && selectedPods(subject.active.view).length > 0;
  return !isServedNow || servingPods(next) > 0;
}

/** A spec that is the active cluster's again needs no other cluster, and one that has failed gets none. */
function isCancelled(subject: Subject): boolean {
  const { active, pending, strategy } = subject;
  if (strategy.kind === 'incremental' || pending.name === '' || active.view === undefined) return false;
  if (isRejected(subject)) return true;
  if (compareCluster(subject, active.view.cluster).verdict !== 'same') return false;
  return pending.view === undefined || compareCluster(subject, pending.view.cluster).verdict !== 'same';
}

function isRolledBack(subject: Subject): boolean {
  if (!isRollbackComplete(subject)) return false;
  const { active, pending } = subject;
  return isRouteCurrent(subject) || endpointsOf(subject, pending) === 0 || active.view === undefined;
}
