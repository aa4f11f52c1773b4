import type { KubeObject } from '@manta/api';
import type { ResourceType } from '@manta/kube';

/** coordination.k8s.io/v1 Lease, as far as leader election reads and writes it. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

/** Times are MicroTime strings. */
export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export const LEASES: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  isNamespaced: true,
};

export function holderOf(lease: Lease): string {
  return lease.spec?.holderIdentity ?? '';
}

/** Whether two reads saw the same term and renewal; anything else about the object does not matter to an election. */
export function isSameRecord(a: Lease | undefined, b: Lease): boolean {
  return (
    a !== undefined &&
    holderOf(a) === holderOf(b) &&
    a.spec?.leaseDurationSeconds === b.spec?.leaseDurationSeconds &&
    a.spec?.acquireTime === b.spec?.acquireTime &&
    a.spec?.renewTime === b.spec?.renewTime &&
    a.spec?.leaseTransitions === b.spec?.leaseTransitions
  );
}

/** Whether a lease is still held in the term of an earlier read: by the same holder, without another one in between. */
export function isSameTerm(before: Lease | undefined, now: Lease | undefined): boolean {
  return (
    before !== undefined &&
    now !== undefined &&
    before.metadata?.uid === now.metadata?.uid &&
    holderOf(before) === holderOf(now) &&
    before.spec?.acquireTime === now.spec?.acquireTime &&
    before.spec?.leaseTransitions === now.spec?.leaseTransitions
  );
}

/** A lease without a holder so far. */
export function newLease(ref: { name: string; namespace: string }, spec: LeaseSpec): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: ref.name, namespace: ref.namespace },
    spec,
  };
}

/** The spec with which `identity` takes over or renews `lease`: a renewal keeps the term's start and number, a take-over begins the next. */
export function heldSpec(
  lease: Lease | undefined,
  identity: string,
  leaseDurationSeconds: number,
  now: string,
): Required<LeaseSpec> {
  const spec = lease?.spec;
  const isRenewal = lease !== undefined && holderOf(lease) === identity;
  const transitions = spec?.leaseTransitions ?? 0;
  return {
    ...spec,
    holderIdentity: identity,
    leaseDurationSeconds,
    acquireTime: isRenewal ? (spec?.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions: lease === undefined || isRenewal ? transitions : transitions + 1,
  };
}

/** The spec that gives `lease` back, so that the next candidate need not wait. */
export function releasedSpec(lease: Lease, now: string): LeaseSpec {
  return {
    ...lease.spec,
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: lease.spec?.leaseTransitions ?? 0,
  };
}
