import { Label, type ObjectMeta, type PodSpec, type StringMap } from '@manta/api';
import type { Gang } from './gang.ts';
import type { Marks } from './scheduler.ts';

/** Labels that child objects copy from the owner of the gang, unless empty. */
export function copied({ owner }: Gang, keys: readonly string[]): StringMap {
  const { labels = {} } = owner.object.metadata ?? {};
  return Object.fromEntries(keys.flatMap((key) => (labels[key] ? [[key, labels[key]]] : [])));
}

/** Whether the user wants pods to start together; most schedulers take the label with any value. */
export function hasGangLabel({ owner }: Gang): boolean {
  return owner.object.metadata?.labels?.[Label.GangSchedulingEnabled] !== undefined;
}

/** Adds a scheduler's marks to a pod or a pod template. They override the user's values. */
export function withMarks<T extends { readonly metadata?: ObjectMeta; readonly spec?: PodSpec }>(
  pod: T,
  marks: Marks,
): T {
  const { metadata } = withMetadataMarks(pod, marks);
  return { ...pod, metadata, spec: { ...(pod.spec ?? { containers: [] }), ...marks.spec } };
}

/** Adds a scheduler's labels and annotations to an object that is not a pod. */
export function withMetadataMarks<T extends { readonly metadata?: ObjectMeta }>(
  object: T,
  { labels, annotations }: Marks,
): T & { readonly metadata: ObjectMeta } {
  const { metadata = {} } = object;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...merged('labels', metadata.labels, labels),
      ...merged('annotations', metadata.annotations, annotations),
    },
  };
}

function merged(field: 'labels' | 'annotations', own: StringMap | undefined, added: StringMap): Partial<ObjectMeta> {
  return Object.keys(added).length === 0 ? {} : { [field]: { ...own, ...added } };
}
