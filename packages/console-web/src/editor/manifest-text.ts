import { stringify } from 'yaml';
import type { Manifest } from './findings.ts';

/** An object as a person would write it: without what the API server adds. */
export function manifestOf(object: Manifest): Manifest {
  const { apiVersion = 'ray.io/v1', kind = '', metadata = {}, spec } = object;
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(isEmpty(labels) ? {} : { labels }),
      ...(isEmpty(annotations) ? {} : { annotations: withoutLastApplied(annotations) }),
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

export function textOf(object: Manifest): string {
  return stringify(manifestOf(object), { lineWidth: 0 });
}

/** The command that applies a text with kubectl. */
export function kubectlCommand(text: string): string {
  return `kubectl apply --server-side -f - <<'EOF'\n${text.trimEnd()}\nEOF\n`;
}

/** A copy of an object under a new name, ready to be edited. */
export function cloneOf(object: Manifest): Manifest {
  const { metadata, ...rest } = manifestOf(object);
  const base = (metadata?.name ?? 'object').replace(/-copy(-\d+)?$/, '').slice(0, 40);
  const { labels: _, annotations: __, ...kept } = metadata ?? {};
  return { ...rest, metadata: { ...kept, name: `${base}-copy` } };
}

function isEmpty(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(withoutLastApplied(value)).length === 0;
}

function withoutLastApplied(annotations: unknown): object {
  const entries = Object.entries(typeof annotations === 'object' && annotations !== null ? annotations : {});
  return Object.fromEntries(entries.filter(([key]) => key !== 'kubectl.kubernetes.io/last-applied-configuration'));
}
