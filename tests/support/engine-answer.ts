import type { JsonObject } from '../../packages/apiserver/src/object/json.ts';
import { invalid } from '../../packages/apiserver/src/status/errors.ts';
import type { Strategy } from '../../packages/apiserver/src/registry/strategy.ts';
import { StatusError } from '../../packages/apiserver/src/status/status-error.ts';
import type { ApiAnswer } from './api-request.ts';

/** What is comparable about an answer to a write: the order of causes and what the server adds to metadata are not. */
export interface Outcome {
  readonly status: number;
  readonly reason?: string;
  readonly causes?: readonly string[];
  readonly message?: string;
  readonly object?: unknown;
}

const now = '2026-01-01T00:00:00Z';

/** What creating an object would answer, by the strategy alone. */
export function createBy(
  strategy: Strategy,
  kind: { readonly group: string; readonly kind: string },
  object: JsonObject,
): Outcome {
  return outcomeOf(() => {
    const read = strategy.applyDefaults(strategy.prune(object).object);
    const named = { ...read, metadata: { ...(read['metadata'] as object), uid: 'UID' } };
    const filled = strategy.prepareForCreate(named, now);
    const causes = strategy.validateCreate(filled);
    if (causes.length > 0) throw invalid(kind, nameOf(filled), causes);
    return { status: 201, object: comparable(filled) };
  });
}

/** What replacing `old` (as the server stores it) by an object would answer, by the strategy alone. */
export function updateBy(
  strategy: Strategy,
  kind: { readonly group: string; readonly kind: string },
  object: JsonObject,
  old: JsonObject,
  subresource = '',
): Outcome {
  return outcomeOf(() => {
    const read = strategy.applyDefaults(strategy.prune(object).object);
    const filled = strategy.prepareForUpdate(read, old, subresource, now);
    const causes = strategy.validateUpdate(filled, old, subresource);
    if (causes.length > 0) throw invalid(kind, nameOf(filled), causes);
    return { status: 200, object: comparable(filled) };
  });
}

/** What the real server answered. */
export function realOutcome({ status, body }: ApiAnswer): Outcome {
  if (status < 300) return { status, object: comparable(JSON.parse(JSON.stringify(body).replaceAll(uid, 'UID'))) };
  const { reason, message, details } = body as { reason: string; message: string; details?: { causes?: Cause[] } };
  return refused(status, reason, message, details?.causes);
}

interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

function outcomeOf(run: () => Outcome): Outcome {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return refused(error.code, error.reason, error.message, error.details?.causes);
  }
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function refused(status: number, reason: string, message: string, causes: readonly Cause[] | undefined): Outcome {
  if (causes === undefined || causes.length === 0) return { status, reason, message };
  return {
    status,
    reason,
    causes: causes
      .map((cause) => `${cause.field}: ${cause.message} (${cause.reason})`.replaceAll(uid, 'UID'))
      .toSorted(),
  };
}

function nameOf(object: JsonObject): string {
  const { name } = (object['metadata'] ?? {}) as { name?: string };
  return name ?? '';
}

const ours: ReadonlySet<string> = new Set([
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'name',
  'namespace',
  'generation',
]);

/** What the real server gives out, or the clock decides. */
const given: readonly RegExp[] = [
  /,?"clusterIP":"10\.[\d.]+"/g,
  /,?"clusterIPs":\["10\.[\d.]+"\]/g,
  /,?"nodePort":\d{5}/g,
  /,?"healthCheckNodePort":\d{5}/g,
  /,?"lastPhaseTransitionTime":"[^"]*"/g,
];

function comparable(full: JsonObject): unknown {
  const text = given.reduce((all, pattern) => all.replaceAll(pattern, ''), JSON.stringify(full)).replaceAll('{,', '{');
  const { metadata, ...rest }: JsonObject = JSON.parse(text);
  return { ...rest, metadata: Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => ours.has(key))) };
}
