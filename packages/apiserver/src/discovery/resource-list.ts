import { createHash } from 'node:crypto';
import { apiVersionOf, type ServedResource } from '../registry/served-resource.ts';
import type { ServedGroup } from './group-list.ts';
import { subresourcesOf } from './subresources.ts';

/** An APIResourceList: what one version of a group has to offer. */
export function resourceListDocument({ name, resources }: ServedGroup, version: string): object {
  const served = resources
    .filter(({ versions }) => versions.has(version))
    .toSorted((a, b) => (a.info.plural < b.info.plural ? -1 : 1));
  return {
    kind: 'APIResourceList',
    ...(name === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(name, version),
    resources: served.flatMap((resource) => [resourceEntry(resource), ...subresourceEntries(resource, version)]),
  };
}

function resourceEntry({ info, isVirtual }: ServedResource): object {
  return {
    name: info.plural,
    singularName: info.singular,
    namespaced: info.isNamespaced,
    kind: info.kind,
    verbs: info.verbs,
    ...(info.shortNames.length === 0 ? {} : { shortNames: info.shortNames }),
    ...(info.categories.length === 0 ? {} : { categories: info.categories }),
    ...(isVirtual ? {} : { storageVersionHash: storageVersionHash(info.group, info.storageVersion, info.kind) }),
  };
}

function subresourceEntries(resource: ServedResource, version: string): readonly object[] {
  const { info } = resource;
  return subresourcesOf(resource, version).map(({ name, kind, group, version: of, verbs }) => ({
    name: `${info.plural}/${name}`,
    singularName: '',
    namespaced: info.isNamespaced,
    ...(group === undefined ? {} : { group, version: of }),
    kind,
    verbs,
  }));
}

/** The storage version hash, by which clients notice a change of the storage version. */
function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}
