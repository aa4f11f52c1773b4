import { Annotation, type KubeObject, NodeType, type StringMap } from '@manta/api';
import type { LeafState, PkiState, PodRecord } from '../raycluster/observed.ts';

/** What is written on the Secret of a certificate that we have issued, as far as it matters to pods. */
export function leafStateOf({ metadata }: KubeObject): LeafState {
  const { annotations = {} } = metadata ?? {};
  return {
    authority: annotations[Annotation.TlsAuthority] ?? '',
    renewedAt: annotations[Annotation.TlsRenewedAt],
    authoritySince: annotations[Annotation.TlsAuthoritySince],
    formerEnd: timeOf(annotations[Annotation.TlsFormerNotAfter]) ?? Number.POSITIVE_INFINITY,
  };
}

/** The certificate that a pod of this kind mounts, where the operator issues them; undefined where it does not. */
export function leafFor(pki: PkiState | undefined, nodeType: string): LeafState | undefined {
  if (pki === undefined || !pki.isReady) return undefined;
  return nodeType === NodeType.Head ? pki.own?.head : pki.own?.worker;
}

/**
 * What a pod is marked with, so that the certificate which it has can be told from a later one without asking a clock: those who make pods
 * and those who make certificates need not agree on the time.
 */
export function marksOf({ authority, renewedAt }: LeafState): StringMap {
  return {
    [Annotation.TlsAuthority]: authority,
    ...(renewedAt === undefined ? {} : { [Annotation.TlsRenewedAt]: renewedAt }),
  };
}

/** Whether a pod trusts an authority that is gone. Of one without marks only its age is known. */
export function isEstranged(pod: PodRecord, leaf: LeafState): boolean {
  if (pod.tlsAuthority !== undefined) return pod.tlsAuthority !== leaf.authority;
  return isBefore(pod, leaf.authoritySince);
}

/** Whether the certificate of a pod has been renewed since it was made. */
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
