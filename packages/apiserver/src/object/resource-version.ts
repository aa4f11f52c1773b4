import { goQuote } from '@manta/api';
import { StatusError } from '../status/status-error.ts';
import type { Revision, Store } from '../store/contract.ts';
import { badRequest } from '../status/errors.ts';

/** Reads a resourceVersion of a query; empty counts as 0. */
export function parseRevision(text: string, prefix = 'invalid resource version: '): Revision {
  if (text === '') return 0;
  const isNumber = /^\d+$/.test(text);
  if (isNumber && BigInt(text) <= MAX_UINT64) return Number(text);
  const why = isNumber ? 'value out of range' : 'invalid syntax';
  const problem = `strconv.ParseUint: parsing ${goQuote(text)}: ${why}`;
  throw badRequest(`${prefix}resourceVersion: Invalid value: ${goQuote(text)}: ${problem}`);
}

const MAX_UINT64 = 2n ** 64n - 1n;

/** A read that must not be older than `resourceVersion` fails when the store has not got that far. */
export function requireRevision(store: Store, resourceVersion: string, prefix?: string): Revision {
  const revision = parseRevision(resourceVersion, prefix);
  if (revision > store.revision) throw tooLarge(revision, store.revision);
  return revision;
}

/** 504: the caller knows of a later state than this server. */
export function tooLarge(asked: Revision, current: Revision): StatusError {
  const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }];
  return new StatusError(504, 'Timeout', message, { causes, retryAfterSeconds: 1 });
}
