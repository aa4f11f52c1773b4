import { isGcsFaultToleranceEnabled, NodeType, RayClusterEventReason } from '@manta/api';
import { type Action, normal } from '../plan.ts';
import { areAllPodsThere } from './counts.ts';
import type { PodRecord } from './observed.ts';
import { fullName, type Subject } from './subject.ts';

/** When to look again for certificates whose coming we may have missed. */
const LOOK_AGAIN_MS = 5000;

/** Ray does not reload certificates, so pods come only once those are there; whatever has to go goes. */
export function holdForCertificates({ pki }: Subject, actions: readonly Action[]): readonly Action[] {
  if (pki === undefined || pki.isReady) return actions;
  const others = actions.filter(({ type }) => type !== 'create');
  if (others.length === actions.length) return actions;
  const wait: Action = { type: 'wait', message: `mTLS secrets not ready: ${pki.why}`, lookAgainMs: LOOK_AGAIN_MS };
  return [...others, wait];
}

/**
 * Replaces pods whose certificate runs out, one at a time and only while all others work: workers, which are drained where the installation
 * wants that, then a head that finds its state again. Another head stays: what runs on it would be lost. Where the authority itself was
 * lost, all go at once: they do not understand those who come.
 */
export function restartForCertificates(subject: Subject): readonly Action[] {
  const { pki, pods, cluster, spec } = subject;
  if (pki === undefined || !pki.isReady || pki.renewedAt === undefined) return [];
  const { authoritySince = Number.NEGATIVE_INFINITY } = pki;
  const estranged = pods.filter(({ createdAt, isTerminating }) => createdAt < authoritySince && !isTerminating);
  if (estranged.length > 0) return estranged.map((pod) => restart(subject, pod));
  const { head, worker } = pki.renewedAt;
  const old = pods.filter(({ nodeType, createdAt }) => createdAt < (nodeType === NodeType.Head ? head : worker));
  if (old.length === 0 || !isSteady(subject)) return [];
  const oldest = old.filter(({ nodeType }) => nodeType === NodeType.Worker).toSorted(byAge)[0];
  if (oldest !== undefined) return [restart(subject, oldest)];
  return isGcsFaultToleranceEnabled(spec, cluster.metadata?.annotations) ? old.map((pod) => restart(subject, pod)) : [];
}

function isSteady(subject: Subject): boolean {
  return areAllPodsThere(subject) && subject.pods.every((pod) => !pod.isTerminating && pod.ready === 'True');
}

function byAge(a: PodRecord, b: PodRecord): number {
  return a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1);
}

function restart(subject: Subject, { name, uid, nodeType }: PodRecord): Action {
  const { DeletedHeadPod, DeletedWorkerPod } = RayClusterEventReason;
  const isHead = nodeType === NodeType.Head;
  const told = `Deleted ${isHead ? 'head' : 'worker'} Pod ${fullName(subject, name)}: its TLS certificate was renewed, and Ray reads it only at start`;
  const done = normal(isHead ? DeletedHeadPod : DeletedWorkerPod, 'Delete', told);
  return { type: 'delete', kind: 'Pod', name, uid, done, stopsNothing: true };
}
