import type { KubeObject } from '@manta/api';

/** Names one resource of the API: where it is served and what its objects look like (`T` exists for the compiler only). */
export interface ResourceType<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** Never present at run time. */
  readonly objectType?: T;
}

/** `v1` or `ray.io/v1`, as objects carry it. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** The path of a collection (`namespace` absent: across all namespaces), or of one object when `name` is given. */
export function pathOf(type: ResourceType, namespace?: string, name?: string, subresource?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  const sub = subresource === undefined ? '' : `/${subresource}`;
  return `${root}${scope}/${type.plural}${object}${sub}`;
}
