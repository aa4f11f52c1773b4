import { isRecord } from '@manta/api';
import type { FieldChange, Manifest } from './types.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The object after `kubectl apply`: fields of the manifest win, fields that the last apply set and the manifest no longer has are removed,
 * other fields stay, the status too. Lists of custom resources are replaced as a whole.
 */
export function applied(current: Manifest, manifest: Manifest): Manifest {
  const merged = record(merge(current, manifest, lastApplied(current)));
  const status = 'status' in current ? { status: current['status'] } : {};
  return { ...merged, ...status, metadata: identity(current, record(merged['metadata'])) };
}

/** The object after it was replaced by the manifest: only the server's own fields stay. */
export function replaced(current: Manifest, manifest: Manifest): Manifest {
  const { status: _ignored, ...rest } = manifest;
  const metadata = identity(current, record(manifest['metadata']));
  return { ...rest, metadata, ...('status' in current ? { status: current['status'] } : {}) };
}

/** Which object it is cannot be changed. */
function identity(current: Manifest, metadata: Manifest): Manifest {
  const old = record(current['metadata']);
  const fixed = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'namespace', 'name', 'deletionTimestamp'];
  const kept = Object.fromEntries(fixed.filter((key) => key in old).map((key) => [key, old[key]]));
  const owners = 'ownerReferences' in old ? { ownerReferences: old['ownerReferences'] } : {};
  return { ...owners, ...('finalizers' in old ? { finalizers: old['finalizers'] } : {}), ...metadata, ...kept };
}

function lastApplied(current: Manifest): unknown {
  const text = record(record(current['metadata'])['annotations'])[LAST_APPLIED];
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function merge(current: unknown, wanted: unknown, last: unknown): unknown {
  if (wanted === null) return undefined;
  if (!isRecord(wanted) || !isRecord(current)) return wanted;
  const former = record(last);
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(current)) {
    if (Object.hasOwn(wanted, key) || !Object.hasOwn(former, key)) result[key] = value;
  }
  for (const [key, value] of Object.entries(wanted)) {
    const next = merge(current[key], value, former[key]);
    if (next === undefined) delete result[key];
    else result[key] = next;
  }
  return result;
}

/** What differs between two versions of an object: `spec`, labels and annotations. */
export function changesBetween(before: Manifest, after: Manifest): readonly FieldChange[] {
  const metadata = (object: Manifest, key: 'labels' | 'annotations') => {
    const { [LAST_APPLIED]: _ignored, ...rest } = record(record(object['metadata'])[key]);
    return rest;
  };
  return [
    ...differences('metadata.labels', metadata(before, 'labels'), metadata(after, 'labels')),
    ...differences('metadata.annotations', metadata(before, 'annotations'), metadata(after, 'annotations')),
    ...differences('spec', before['spec'] ?? {}, after['spec'] ?? {}),
  ];
}

function differences(path: string, before: unknown, after: unknown): readonly FieldChange[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => differences(`${path}${step(key)}`, before[key], after[key]));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.some(isRecord) && after.some(isRecord)) {
    const indexes = Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index);
    return indexes.flatMap((index) => differences(`${path}[${index}]`, before[index], after[index]));
  }
  const [old, fresh] = [json(before), json(after)];
  if (old === fresh || isNothing(before, after)) return [];
  return [{ path, ...(old === undefined ? {} : { before: old }), ...(fresh === undefined ? {} : { after: fresh }) }];
}

/** An empty object and an absent one mean the same. */
function isNothing(before: unknown, after: unknown): boolean {
  const isEmpty = (value: unknown) =>
    value === undefined || value === null || json(value) === '{}' || json(value) === '[]';
  return isEmpty(before) && isEmpty(after);
}

function step(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) ? `.${key}` : `["${key}"]`;
}

function json(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

function record(value: unknown): Manifest {
  return isRecord(value) ? value : {};
}
