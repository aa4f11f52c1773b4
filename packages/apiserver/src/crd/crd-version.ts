import type { CustomResourceDefinition, CustomResourceSubresourceScale } from '@manta/api';
import type { Schema } from '../object/schema.ts';

/** Where a custom resource keeps what the scale subresource shows, as the CRD writes it. */
export type CrdScale = CustomResourceSubresourceScale;

/** One version of a custom resource, with what its CRD says of it. */
export interface CrdVersion {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly isNamespaced: boolean;
  readonly isServed: boolean;
  readonly isStorage: boolean;
  readonly schema: Schema | undefined;
  readonly hasStatus: boolean;
  readonly scale: CrdScale | undefined;
  readonly deprecationWarning: string | undefined;
  /** JSON paths that field selectors may use. */
  readonly selectableFields: readonly string[];
}

/** The versions of a custom resource, in the CRD's order. */
export function crdVersions(crd: CustomResourceDefinition): readonly CrdVersion[] {
  const { group, names, scope, versions } = crd.spec;
  return versions.map((version) => ({
    group,
    kind: names.kind,
    name: version.name,
    isNamespaced: scope === 'Namespaced',
    isServed: version.served,
    isStorage: version.storage,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the generated type is wider than what an accepted CRD can hold
    schema: version.schema?.openAPIV3Schema as Schema | undefined,
    hasStatus: version.subresources?.status !== undefined,
    scale: version.subresources?.scale,
    deprecationWarning:
      version.deprecated === true
        ? (version.deprecationWarning ?? `${group}/${version.name} ${names.kind} is deprecated`)
        : undefined,
    selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath),
  }));
}
