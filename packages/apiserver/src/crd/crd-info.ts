import type { CustomResourceDefinition } from '@manta/api';
import type { ResourceInfo } from '../object/resource-info.ts';
import { crdVersions } from './crd-version.ts';
import { compareVersions } from './version-order.ts';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'] as const;

/** What discovery says of a custom resource; undefined where no version is served. */
export function crdResourceInfo(crd: CustomResourceDefinition): ResourceInfo | undefined {
  const { group, names, scope } = crd.spec;
  const versions = crdVersions(crd);
  const served = versions.filter(({ isServed }) => isServed);
  const storage = versions.find(({ isStorage }) => isStorage);
  if (served.length === 0 || storage === undefined) return undefined;
  return {
    group,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    isNamespaced: scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    versions: served.map(({ name }) => name).toSorted(compareVersions),
    storageVersion: storage.name,
    verbs,
    subresources: [
      ...(served.some(({ hasStatus }) => hasStatus) ? ['status'] : []),
      ...(served.some(({ scale }) => scale !== undefined) ? ['scale'] : []),
    ],
  };
}
