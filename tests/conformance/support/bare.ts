import type { Fields, KubeObject } from './target.ts';

const serverSet = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'namespace', 'name']);

/** An object without what differs from run to run: name, namespace, uid, version, time and field owners. */
export function bare(object: KubeObject): Fields {
  const { metadata, ...rest } = object;
  const kept = Object.entries(metadata).filter(([key]) => !serverSet.has(key));
  return { ...rest, metadata: Object.fromEntries(kept) };
}
