import { Annotation, type KubeObject, NodeType, type StringMap } from '@manta/api';
import type { LeafState, PkiState, PodRecord } from '../raycluster/observed.ts';

/** The annotations on the Secret of an issued certificate that matter to pods. */
export function leafStateOf({ metadata }: KubeObject): LeafState {
  const { annotations = {} } = metadata ?? {};
  return {
    authority: annotations[Annotation.TlsAuthority] ?? '',
    renewedAt: annotations[Annotation.TlsRenewedAt],
    authoritySince: annotations[Annotation.TlsAuthoritySince],
    formerEnd: timeOf(annotations[Annotation.TlsFormerNotAfter]) ?? Number.POSITIVE_INFINITY,
  };
}

/** The certificate that a pod of this node type mounts; undefined if cert-manager issues certificates. */
export function leafFor(pki: PkiState | undefined, nodeType: string): LeafState | undefined {
  if (pki === undefined || !pki.isReady) return undefined;
  return nodeType === NodeType.Head ? pki.own?.head : pki.own?.worker;
}

/**
 * Annotations that record which certificate a pod started with. They are compared instead of times, because the clocks of the pod's creator
 * and the certificate's issuer may differ.
 */
export function marksOf({ authority, renewedAt }: LeafState): StringMap {
  return {
    [Annotation.TlsAuthority]: authority,
    ...(renewedAt === undefined ? {} : { [Annotation.TlsRenewedAt]: renewedAt }),
  };
}

/** Whether a pod trusts an authority that no longer exists. For a pod without these annotations its age decides. */
export function isEstranged(pod: PodRecord, leaf: LeafState): boolean {
  if (pod.tlsAuthority !== undefined) return pod.tlsAuthority !== leaf.authority;
  return isBefore(pod, leaf.authoritySince);
}

/** Whether a pod's certificate was renewed after the pod was created. */
export function isOutOfDate(pod: PodRecord, leaf: LeafState): boolean {
  if (pod.tlsAuthority !== undefined) return pod.tlsRenewedAt !== leaf.renewedAt;
  return isBefore(pod, leaf.renewedAt);
}

function isBefore({ createdAt }: PodRecord, time: string | undefined): boolean {
  return createdAt < (timeOf(time) ?? Number.NEGATIVE_INFINITY);
}

function timeOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
