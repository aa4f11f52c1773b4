import type { RayKind } from '../store/entries.ts';
import type { VersionRow } from '../store/history-store.ts';
import type { Stage } from './documents.ts';
import { stateOf } from './object-state.ts';

/** The states that an object went through, with the times at which the recorder saw them. */
export function stagesOf(
  kind: RayKind,
  versions: readonly VersionRow[],
  deletedAt: number | undefined,
): readonly Stage[] {
  const starts: { readonly name: string; readonly at: number }[] = [];
  for (const { at, document } of versions) {
    const { state: name } = stateOf(kind, document);
    if (starts.at(-1)?.name !== name) starts.push({ name, at });
  }
  return starts.map(({ name, at }, i) => {
    const end = starts[i + 1]?.at ?? deletedAt;
    return { name, from: isoTime(at), ...(end === undefined ? {} : { to: isoTime(end) }) };
  });
}

export const isoTime = (at: number): string => new Date(at).toISOString();
