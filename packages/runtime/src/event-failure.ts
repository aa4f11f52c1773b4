import { ApiError, isAlreadyExists, isNotFound } from '@manta/kube';

/** Why an event was not written, as a label of the dropped counter. */
export type DropReason = 'queue_full' | 'forbidden' | 'namespace_gone' | 'rejected' | 'retries_exhausted' | 'shutdown';

/** What a failed write of an event means. */
export type EventFailure =
  /** It exists: an earlier try got through without our hearing of it. */
  | { readonly kind: 'exists' }
  /** The event to patch no longer exists (the API server expires events): create it again. */
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'retry'; readonly afterMs: number | undefined }
  | { readonly kind: 'drop'; readonly reason: DropReason };

export function classifyEventFailure(error: unknown, wasCreate: boolean): EventFailure {
  if (!(error instanceof ApiError)) return { kind: 'retry', afterMs: undefined };
  if (wasCreate && isAlreadyExists(error)) return { kind: 'exists' };
  if (isNotFound(error)) return wasCreate ? { kind: 'drop', reason: 'namespace_gone' } : { kind: 'forgotten' };
  if (error.causes.some((cause) => cause.reason === 'NamespaceTerminating')) {
    return { kind: 'drop', reason: 'namespace_gone' };
  }
  if (error.code === 403) return { kind: 'drop', reason: 'forbidden' };
  const isPassing = error.code === 401 || error.code === 408 || error.code === 429 || error.code >= 500;
  return isPassing || (!wasCreate && error.code === 409)
    ? { kind: 'retry', afterMs: error.retryAfterMs }
    : { kind: 'drop', reason: 'rejected' };
}
