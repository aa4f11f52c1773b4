import {
  isGcsFaultToleranceEnabled,
  type KubeObject,
  Label,
  MtlsEventReason,
  NodeType,
  RayClusterEventReason,
} from '@manta/api';
import { isEstranged, isOutOfDate, leafFor, marksOf } from '../mtls/leaf-state.ts';
import { deleteOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';
import { isOnlyHead } from './head-name.ts';
import type { PkiState, PodRecord } from './observed.ts';
import { areAllPodsRunning } from './pods.ts';

/** How soon to check for certificates again. */
const REQUEUE_MS = 5000;
const DAY_MS = 86_400_000;
/** From so little time left on, pods that are not ready no longer block the restart of others. */
const HURRY_MS = 5 * DAY_MS;
/** A pod that is not ready after this long then no longer counts. */
const PATIENCE_MS = 10 * 60_000;

/** Ray does not reload certificates, so pods are created only once these exist, with an annotation that names them. Deletions are not delayed. */
export function delayForCertificates({ pki }: ClusterState, actions: readonly Action[]): readonly Action[] {
  if (pki === undefined) return actions;
  if (pki.isReady) return pki.own === undefined ? actions : actions.map((action) => withMarks(pki, action));
  const others = actions.filter(({ type }) => type !== 'create');
  if (others.length === actions.length) return actions;
  const wait: Action = { type: 'wait', message: `mTLS secrets not ready: ${pki.why}`, requeueAfterMs: REQUEUE_MS };
  return [...others, wait];
}

/**
 * Replaces pods whose certificate expires, one at a time and only while all others are ready: first workers (drained if the installation
 * asks for it), then a head with GCS fault tolerance. A head without it stays, because its jobs would be lost. If the certificate authority
 * itself was lost, all pods are replaced at once: new pods would not trust old ones.
 */
export function restartForCertificates(state: ClusterState): readonly Action[] {
  const { pki, cluster, spec, pods, now } = state;
  const estranged = pods.filter((pod) => !pod.isTerminating && isSo(pki, pod, isEstranged));
  if (estranged.length > 0)
    return isOnlyHead(cluster) ? [warnAboutLostAuthority(state)] : estranged.flatMap((pod) => restart(state, pod));
  const old = pods.filter((pod) => !pod.isTerminating && isSo(pki, pod, isOutOfDate));
  const leftMs = Math.min(...old.map(({ nodeType }) => leafFor(pki, nodeType)?.formerEnd ?? now)) - now;
  if (old.length === 0 || !mayTakeAnother(state, leftMs)) return [];
  const oldest = old.filter(({ nodeType }) => nodeType === NodeType.Worker).toSorted(byAge)[0];
  if (oldest !== undefined) return restart(state, oldest);
  const mayHeadGo = isGcsFaultToleranceEnabled(spec, cluster.metadata?.annotations) && !isOnlyHead(cluster);
  return mayHeadGo ? old.flatMap((pod) => restart(state, pod)) : [];
}

function isSo(pki: PkiState | undefined, pod: PodRecord, judge: typeof isOutOfDate): boolean {
  const leaf = leafFor(pki, pod.nodeType);
  return leaf !== undefined && judge(pod, leaf);
}

/** While all others are ready; in the last days also without pods that never become ready, on the last day without pods that never terminate. */
function mayTakeAnother(state: ClusterState, leftMs: number): boolean {
  const { pods, now } = state;
  if (areAllPodsRunning(state) && pods.every((pod) => !pod.isTerminating && pod.ready === 'True')) return true;
  if (leftMs > HURRY_MS) return false;
  return pods.every(({ isTerminating, ready, createdAt }) =>
    isTerminating ? leftMs < DAY_MS : ready === 'True' || now - createdAt > PATIENCE_MS,
  );
}

function byAge(a: PodRecord, b: PodRecord): number {
  return a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1);
}

function restart(state: ClusterState, pod: PodRecord): readonly Action[] {
  const { DeletedHeadPod, DeletedWorkerPod } = RayClusterEventReason;
  const isHead = pod.nodeType === NodeType.Head;
  const note = `Deleted ${isHead ? 'head' : 'worker'} Pod ${fullName(state, pod.name)}: its TLS certificate was renewed, and Ray reads it only at start`;
  const done = normal(isHead ? DeletedHeadPod : DeletedWorkerPod, 'Delete', note);
  return deleteOwn(state.uid, 'Pod', pod, { done, continueOnFailure: true });
}

/** The existing pods still trust each other; new pods would not. */
function warnAboutLostAuthority(state: ClusterState): Action {
  const note = `The certificate authority of RayCluster ${fullName(state, state.name)} was lost, and its head may not be made anew: its pods stay as they are until their certificates end, and new workers cannot join them`;
  return { type: 'event', event: warning(MtlsEventReason.FailedToReconcile, 'Reconcile', note) };
}

function withMarks(pki: PkiState, action: Action): Action {
  return action.type === 'create' && action.kind === 'Pod'
    ? { ...action, objects: action.objects.map((pod) => marked(pki, pod)) }
    : action;
}

function marked(pki: PkiState, pod: KubeObject): KubeObject {
  const { metadata = {} } = pod;
  const leaf = leafFor(pki, metadata.labels?.[Label.NodeType] ?? '');
  if (leaf === undefined) return pod;
  return { ...pod, metadata: { ...metadata, annotations: { ...metadata.annotations, ...marksOf(leaf) } } };
}
