import { isNotFound } from '../api-error.ts';
import type { CallOptions, KubeClient } from './client.ts';
import { apiVersionOf, type ResourceType } from '../resource-type.ts';

/** One served resource, from discovery. */
export interface ServedResource {
  readonly type: ResourceType;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly singularName: string;
  readonly categories: readonly string[];
  /** e.g. `['status', 'scale']`. */
  readonly subresources: readonly string[];
}

/** One group with its versions, the preferred one first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly ServedResource[];
  /** False when an aggregated server does not answer: its resources are not known, which is not the same as none. */
  readonly isFresh: boolean;
}

/**
 * Everything that the server serves. Asks for aggregated discovery (two requests); servers without it are asked group by group. A
 * group that can't be read is handed out without resources and not fresh; it never hides the others.
 */
export async function discover(client: KubeClient, options: CallOptions = {}): Promise<readonly ServedGroup[]> {
  const [core, groups] = await Promise.all([readRoot(client, '/api', options), readRoot(client, '/apis', options)]);
  return [...core, ...groups];
}

/** Whether the server serves this resource in this version; one small request. */
export async function isServed(client: KubeClient, type: ResourceType, options: CallOptions = {}): Promise<boolean> {
  const path = type.group === '' ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`;
  try {
    const list = await client.getPath<RawResourceList>(path, options);
    return (list.resources ?? []).some((resource) => resource.name === type.plural);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

const AGGREGATED = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

interface RawRoot {
  readonly kind?: string;
  /** Aggregated discovery. */
  readonly items?: readonly RawGroup[];
  /** APIGroupList at /apis. */
  readonly groups?: readonly { readonly name: string; readonly versions?: readonly { readonly version: string }[] }[];
  /** APIVersions at /api. */
  readonly versions?: readonly string[];
}

interface RawGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly {
    readonly version: string;
    readonly freshness?: string;
    readonly resources?: readonly RawAggregatedResource[];
  }[];
}

interface RawAggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly singularResource?: string;
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

interface RawResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly singularName?: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

async function readRoot(client: KubeClient, path: '/api' | '/apis', options: CallOptions): Promise<ServedGroup[]> {
  const root = await client.getPath<RawRoot>(path, { ...options, accept: AGGREGATED });
  if (root.items !== undefined) return root.items.map(aggregatedGroup);
  const groups =
    path === '/api'
      ? [{ name: '', versions: (root.versions ?? []).map((version) => ({ version })) }]
      : (root.groups ?? []);
  return await Promise.all(groups.map((group) => readGroup(client, group, options)));
}

function aggregatedGroup(group: RawGroup): ServedGroup {
  const name = group.metadata?.name ?? '';
  const versions = (group.versions ?? []).map(({ version, freshness, resources = [] }) => ({
    version,
    isFresh: freshness !== 'Stale',
    resources: resources.map((raw) => aggregatedResource(name, version, raw)),
  }));
  return { name, versions };
}

function aggregatedResource(group: string, version: string, raw: RawAggregatedResource): ServedResource {
  const { resource, responseKind, scope, verbs = [], shortNames = [], singularResource = '', categories = [] } = raw;
  return {
    type: { group, version, plural: resource, kind: responseKind?.kind ?? '', isNamespaced: scope === 'Namespaced' },
    verbs,
    shortNames,
    singularName: singularResource,
    categories,
    subresources: (raw.subresources ?? []).map((each) => each.subresource),
  };
}

async function readGroup(
  client: KubeClient,
  group: NonNullable<RawRoot['groups']>[number],
  options: CallOptions,
): Promise<ServedGroup> {
  const versions = await Promise.all(
    (group.versions ?? []).map(async ({ version }): Promise<ServedVersion> => {
      const path = group.name === '' ? `/api/${version}` : `/apis/${group.name}/${version}`;
      try {
        const list = await client.getPath<RawResourceList>(path, options);
        return { version, isFresh: true, resources: plainResources(group.name, version, list) };
      } catch {
        options.signal?.throwIfAborted();
        return { version, isFresh: false, resources: [] };
      }
    }),
  );
  return { name: group.name, versions };
}

/** Plain discovery lists `pods/status` next to `pods`. */
function plainResources(group: string, version: string, list: RawResourceList): ServedResource[] {
  const raw = list.resources ?? [];
  const subresourcesOf = (plural: string) =>
    raw.filter(({ name }) => name.startsWith(`${plural}/`)).map(({ name }) => name.slice(plural.length + 1));
  return raw
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, verbs = [], shortNames = [], singularName = '', categories = [] }) => ({
      type: { group, version, plural: name, kind, isNamespaced: namespaced },
      verbs,
      shortNames,
      singularName,
      categories,
      subresources: subresourcesOf(name),
    }));
}
