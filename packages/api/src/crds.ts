import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from './core.gen.ts';
import type { Schema } from './schema/dsl.ts';
import { rayCluster, rayClusterColumns } from './schema/raycluster.ts';
import { rayCronJob, rayCronJobColumns } from './schema/raycronjob.ts';
import { rayJob, rayJobColumns } from './schema/rayjob.ts';
import { rayService, rayServiceColumns } from './schema/rayservice.ts';
import { rayClusterAlpha, rayJobAlpha, rayServiceAlpha } from './schema/v1alpha1.ts';

/**
 * The four CustomResourceDefinitions, ready to be written out: keys in alphabetical order and no part shared between two places,
 * so that a YAML writer needs no anchors. Each is too large for the annotation that client-side `kubectl apply` keeps: install
 * them with `kubectl apply --server-side` or `kubectl create`.
 */
export function crds(): readonly CustomResourceDefinition[] {
  return definitions().map(unshared);
}

/**
 * The same definitions with equal parts shared, for whoever keeps or hashes them rather than writes them as YAML: the pod template is in
 * them many times, and sharing it leaves a fortieth of the objects.
 */
export function sharedCrds(): readonly CustomResourceDefinition[] {
  const known = new Map<object, unknown>();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy has the type of what was copied
  return definitions().map((crd) => copyOnce(crd, known) as CustomResourceDefinition);
}

function definitions(): readonly CustomResourceDefinition[] {
  return [
    definition('RayCluster', [
      current(rayCluster, rayClusterColumns),
      deprecated('RayCluster', rayClusterAlpha, rayClusterColumns),
    ]),
    definition('RayJob', [current(rayJob, rayJobColumns), deprecated('RayJob', rayJobAlpha)]),
    definition('RayService', [current(rayService, rayServiceColumns), deprecated('RayService', rayServiceAlpha)]),
    definition('RayCronJob', [current(rayCronJob, rayCronJobColumns)]),
  ];
}

function definition(kind: string, versions: readonly CustomResourceDefinitionVersion[]): CustomResourceDefinition {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.ray.io` },
    spec: {
      group: 'ray.io',
      names: { categories: ['all'], kind, listKind: `${kind}List`, plural, singular },
      scope: 'Namespaced',
      versions,
    },
  };
}

function current(schema: Schema, columns: readonly CustomResourceColumnDefinition[]): CustomResourceDefinitionVersion {
  return {
    name: 'v1',
    served: true,
    storage: true,
    subresources: { status: {} },
    additionalPrinterColumns: columns,
    schema: { openAPIV3Schema: schema },
  };
}

function deprecated(
  kind: string,
  schema: Schema,
  columns?: readonly CustomResourceColumnDefinition[],
): CustomResourceDefinitionVersion {
  return {
    name: 'v1alpha1',
    served: true,
    storage: false,
    deprecated: true,
    deprecationWarning:
      `ray.io/v1alpha1 ${kind} is deprecated; use ray.io/v1 ${kind}. ` +
      'v1alpha1 receives no new fields and will be unavailable in KubeRay 1.9.',
    subresources: { status: {} },
    ...(columns === undefined ? {} : { additionalPrinterColumns: columns }),
    schema: { openAPIV3Schema: schema },
  };
}

/** A deep copy with sorted keys. */
function unshared<T>(value: T): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy has the type of what was copied
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  return copyWith(value, copy);
}

/** A copy with sorted keys in which what is one object stays one. */
function copyOnce(value: unknown, known: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const before = known.get(value);
  if (before !== undefined) return before;
  const fresh = copyWith(value, (child) => copyOnce(child, known));
  known.set(value, fresh);
  return fresh;
}

function copyWith(value: unknown, copyChild: (child: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(copyChild);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, copyChild(child)]));
}
