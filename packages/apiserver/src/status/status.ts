import type { Status } from '@manta/kube';
import type { StatusError } from './status-error.ts';

/** A Status as it goes over the wire. */
export interface WireStatus extends Status {
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
}

/** A refusal as a Status object. */
export function failureStatus(error: StatusError & { readonly token?: string }): WireStatus {
  const { code, reason, message, details } = error;
  const shown = details?.group === '' ? withoutGroup(details) : details;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: error.token === undefined ? {} : { continue: error.token },
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(shown === undefined ? {} : { details: shown }),
    code,
  };
}

function withoutGroup({ group: _group, ...rest }: NonNullable<Status['details']>): NonNullable<Status['details']> {
  return rest;
}

/** The answer to a delete that finished. */
export function deletedStatus(details: NonNullable<Status['details']>): WireStatus {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
