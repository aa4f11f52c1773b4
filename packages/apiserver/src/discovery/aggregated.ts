import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { type ServedGroup, servedGroups } from './group-list.ts';
import { subresourcesOf } from './subresources.ts';

/** All of discovery in one document: what /api and /apis answer to clients that ask for it. */
export function aggregatedDocument(registry: Registry, isCore: boolean, apiVersion: string): object {
  const groups = servedGroups(registry).filter(({ name }) => (name === '') === isCore);
  return { kind: 'APIGroupDiscoveryList', apiVersion, metadata: {}, items: groups.map(groupItem) };
}

function groupItem({ name, versions, resources }: ServedGroup): object {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions.map((version) => ({
      version,
      resources: resources
        .filter((resource) => resource.versions.has(version))
        .toSorted((a, b) => (a.info.plural < b.info.plural ? -1 : 1))
        .map((resource) => resourceItem(resource, name, version)),
      freshness: 'Current',
    })),
  };
}

function resourceItem(resource: ServedResource, group: string, version: string): object {
  const { info } = resource;
  // Built-in kinds leave out the group and version that they are listed under.
  const own = resource.versions.get(version)?.isBuiltin === true ? { group: '', version: '' } : { group, version };
  const responseKind = (kind: string, ofGroup = own.group, ofVersion = own.version): object => ({
    group: ofGroup,
    version: ofVersion,
    kind,
  });
  const subresources = subresourcesOf(resource, version).map((entry) => ({
    subresource: entry.name,
    responseKind: responseKind(entry.kind, entry.group, entry.version),
    verbs: entry.verbs,
  }));
  return {
    resource: info.plural,
    responseKind: responseKind(info.kind),
    scope: info.isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: info.singular,
    verbs: info.verbs,
    ...(info.shortNames.length === 0 ? {} : { shortNames: info.shortNames }),
    ...(info.categories.length === 0 ? {} : { categories: info.categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
