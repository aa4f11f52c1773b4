import { goQuote } from '@manta/api';
import { checkQualifiedName } from '../field/names.ts';
import type { Json, JsonObject } from '../object/json.ts';

const standard: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Advice on the finalizers that a request adds to a custom resource. */
export function finalizerWarnings(meta: JsonObject, old: JsonObject | undefined): readonly string[] {
  const before = new Set(names(old?.['finalizers']));
  const added = [...new Set(names(meta['finalizers']))].filter((name) => !before.has(name)).toSorted();
  return added.flatMap((name) =>
    [...checkQualifiedName(name), ...advice(name)].map((said) => `metadata.finalizers: ${goQuote(name)}: ${said}`),
  );
}

function advice(name: string): readonly string[] {
  if (name.includes('/') || standard.has(name)) return [];
  const form = name.includes('.') ? 'finalizer name including a path (/)' : 'finalizer name';
  return [`prefer a domain-qualified ${form} to avoid accidental conflicts with other finalizer writers`];
}

function names(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}
