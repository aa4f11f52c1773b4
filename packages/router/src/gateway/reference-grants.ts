import { GATEWAY_GROUP } from './kinds.ts';
import type { Observed } from './observed.ts';

/** One end of a reference from one namespace to another. */
export interface Referrer {
  readonly kind: 'Gateway' | 'HTTPRoute';
  readonly namespace: string;
}

export interface Referred {
  readonly kind: 'Secret' | 'Service';
  readonly namespace: string;
  readonly name: string;
}

/** References within a namespace are always allowed; references to another namespace need a ReferenceGrant there. */
export function mayRefer(from: Referrer, to: Referred, observed: Pick<Observed, 'grants'>): boolean {
  if (from.namespace === to.namespace) return true;
  return observed.grants(to.namespace).some(({ spec }) => {
    const isFrom = spec?.from?.some(
      ({ group, kind, namespace }) => group === GATEWAY_GROUP && kind === from.kind && namespace === from.namespace,
    );
    const isTo = spec?.to?.some(
      ({ group = '', kind, name }) => group === '' && kind === to.kind && (name ?? to.name) === to.name,
    );
    return isFrom === true && isTo === true;
  });
}

/** The remedy for a reference that is not allowed. */
export function grantHint({ kind, namespace }: Referrer, to: Referred): string {
  return `a ReferenceGrant in the namespace ${to.namespace} has to allow it, from ${kind} of the namespace ${namespace} to ${to.kind} ${to.name}`;
}
