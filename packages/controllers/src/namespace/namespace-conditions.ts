import { type NamespaceCondition, timestamp } from '@manta/api';
import type { Content } from './namespace-content.ts';

interface Finding {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** How far the deletion of a namespace has come, as its conditions say it; a condition that says the same keeps its time. */
export function namespaceConditions(
  before: readonly NamespaceCondition[],
  remaining: readonly Content[],
  failures: readonly string[],
  nowMs: number,
): readonly NamespaceCondition[] {
  const findings: readonly Finding[] = [
    no('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    no(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    contentFailure(failures),
    contentRemaining(remaining),
    finalizersRemaining(remaining),
  ];
  return findings.map((finding) => {
    const old = before.find(({ type }) => type === finding.type);
    const isSame = old?.status === finding.status && old.message === finding.message && old.reason === finding.reason;
    return isSame ? old : { ...finding, lastTransitionTime: timestamp(nowMs) };
  });
}

function no(type: string, reason: string, message: string): Finding {
  return { type, status: 'False', reason, message };
}

function contentFailure(failures: readonly string[]): Finding {
  const type = 'NamespaceDeletionContentFailure';
  if (failures.length === 0) {
    return no(type, 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization');
  }
  const message = `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`;
  return { type, status: 'True', reason: 'ContentDeletionFailed', message };
}

function contentRemaining(remaining: readonly Content[]): Finding {
  const type = 'NamespaceContentRemaining';
  if (remaining.length === 0) return no(type, 'ContentRemoved', 'All content successfully removed');
  const counts = remaining
    .map(({ info, objects }) => `${info.plural}.${info.group} has ${objects.length} resource instances`)
    .toSorted();
  return {
    type,
    status: 'True',
    reason: 'SomeResourcesRemain',
    message: `Some resources are remaining: ${counts.join(', ')}`,
  };
}

function finalizersRemaining(remaining: readonly Content[]): Finding {
  const type = 'NamespaceFinalizersRemaining';
  const counts = new Map<string, number>();
  for (const finalizer of remaining
    .flatMap(({ objects }) => objects)
    .flatMap(({ metadata }) => metadata.finalizers ?? [])) {
    counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  }
  if (counts.size === 0) return no(type, 'ContentHasNoFinalizers', 'All content-preserving finalizers finished');
  const list = [...counts].map(([name, count]) => `${name} in ${count} resource instances`).toSorted();
  const message = `Some content in the namespace has finalizers remaining: ${list.join(', ')}`;
  return { type, status: 'True', reason: 'SomeFinalizersRemain', message };
}
