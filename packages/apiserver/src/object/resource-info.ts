/** One served resource: what discovery says of it and how requests find it. */
export interface ResourceInfo {
  /** Empty for the core group. */
  readonly group: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Served versions, preferred first. */
  readonly versions: readonly string[];
  readonly storageVersion: string;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** The name under which the store keeps a resource: `/pods`, `ray.io/rayclusters`. */
export type ResourceName = `${string}/${string}`;

export function resourceName(info: Pick<ResourceInfo, 'group' | 'plural'>): ResourceName {
  return `${info.group}/${info.plural}`;
}
