/** One place where two CRDs disagree; `undefined` stands for "absent". */
export interface Difference {
  readonly path: string;
  readonly ours: unknown;
  readonly peers: unknown;
}

/**
 * Everything in which two CRDs differ, except descriptions and the note that a generator leaves about itself. Lists are compared in
 * order, except `required`, where order means nothing.
 */
export function crdDifferences(ours: unknown, peers: unknown): readonly Difference[] {
  return differences(ours, peers, []);
}

const ignoredAnnotation = 'controller-gen.kubebuilder.io/version';

function differences(ours: unknown, peers: unknown, path: readonly string[]): readonly Difference[] {
  if (isRecord(ours) && isRecord(peers)) {
    const keys = [...new Set([...Object.keys(ours), ...Object.keys(peers)])].filter((key) => !isIgnored(key, path));
    return keys.flatMap((key) => differences(ours[key], peers[key], [...path, key]));
  }
  if (Array.isArray(ours) && Array.isArray(peers)) {
    const [left, right] = path.at(-1) === 'required' ? [inOrder(ours), inOrder(peers)] : [ours, peers];
    const length = Math.max(left.length, right.length);
    return Array.from({ length }, (_, index) =>
      differences(left[index], right[index], [...path, nameOf(left[index] ?? right[index], index)]),
    ).flat();
  }
  if (Object.is(ours, peers) || isEmptied(ours, peers, path)) return [];
  return [{ path: path.join('.'), ours, peers }];
}

/** A field may itself be called `description`: then its parent is `properties`. */
function isIgnored(key: string, path: readonly string[]): boolean {
  const isField = path.at(-1) === 'properties' && path.at(-2) !== 'properties';
  return (key === 'description' && !isField) || key === ignoredAnnotation;
}

/** Annotations that are absent on one side and hold nothing but the ignored one on the other. */
function isEmptied(ours: unknown, peers: unknown, path: readonly string[]): boolean {
  const present = ours ?? peers;
  return (
    path.join('.') === 'metadata.annotations' && isRecord(present) && Object.keys(present).join() === ignoredAnnotation
  );
}

function inOrder(names: readonly unknown[]): readonly string[] {
  return names.map(String).toSorted();
}

function nameOf(item: unknown, index: number): string {
  return isRecord(item) && typeof item['name'] === 'string' ? `[${item['name']}]` : `[${index}]`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
