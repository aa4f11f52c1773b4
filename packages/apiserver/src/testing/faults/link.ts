import type { Clock, KubeClient, Status } from '@manta/kube';
import { type FaultCall, WRITES } from './call.ts';
import type { Refusal, Verdict } from './fault.ts';
import type { Switchboard } from './switchboard.ts';
import type { Wire } from './wire.ts';

export interface FaultyOptions {
  /** Under which name rules know this client. */
  readonly client: string;
  /** The client's own clock: it measures its patience. */
  readonly clock: Clock;
  readonly errors: FaultErrors;
  /** Absent: only faults cost time. */
  readonly wire?: Wire;
  /** Answers reads that a `stale` fault sends to it. */
  readonly replica?: KubeClient;
  /** Aborted when the client's process has ended: the server drops its watches silently. */
  readonly gone?: AbortSignal;
}

/** Makes the errors that callers know (`ApiError`, `TransportError`): this package knows only the types of the client's. */
export interface FaultErrors {
  refused(call: FaultCall, status: Status): Error;
  lost(call: FaultCall, message: string, wasNeverSent: boolean): Error;
}

/** What lies between one client and its server. */
export interface FaultyLink extends FaultyOptions {
  readonly wire: Wire;
  readonly board: Switchboard;
  readonly inner: KubeClient;
}

/** Reads may be sent to the replica; writes always reach the one store. */
export function serverFor({ inner, replica }: FaultyLink, call: FaultCall, { isStale }: Verdict): KubeClient {
  return isStale && replica !== undefined && !WRITES.includes(call.verb) ? replica : inner;
}

/** What the caller sees when the fault answers instead of the server. */
export function failureWithoutServer({ errors }: FaultyLink, call: FaultCall, { loss, refusal }: Verdict): Error {
  if (refusal !== undefined) return errors.refused(call, refusalStatus(refusal));
  const isUnsent = loss?.what === 'unsent';
  return errors.lost(call, isUnsent ? 'connect ECONNREFUSED' : 'the connection was reset', isUnsent);
}

/** A made-up refusal as the Status that a server would send. */
export function refusalStatus({ code, reason, message, retryAfterSeconds }: Refusal): Status {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  return { kind: 'Status', status: 'Failure', code, reason, message, ...details };
}
