import type { ServedResource } from '../registry/served-resource.ts';

/** A subresource as discovery describes it. */
export interface SubresourceEntry {
  readonly name: string;
  readonly kind: string;
  /** Where its kind is not of the resource's own group and version. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

const READ_WRITE = ['get', 'patch', 'update'];
const STREAM = ['create', 'get'];
const PROXY = ['create', 'delete', 'get', 'patch', 'update'];

const SPECIAL: Readonly<Record<string, Omit<SubresourceEntry, 'name'>>> = {
  'pods/attach': { kind: 'PodAttachOptions', verbs: STREAM },
  'pods/binding': { kind: 'Binding', verbs: ['create'] },
  'pods/eviction': { kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
  'pods/exec': { kind: 'PodExecOptions', verbs: STREAM },
  'pods/log': { kind: 'Pod', verbs: ['get'] },
  'pods/portforward': { kind: 'PodPortForwardOptions', verbs: STREAM },
  'pods/proxy': { kind: 'PodProxyOptions', verbs: PROXY },
  'services/proxy': { kind: 'ServiceProxyOptions', verbs: PROXY },
  'nodes/proxy': { kind: 'NodeProxyOptions', verbs: PROXY },
  'namespaces/finalize': { kind: 'Namespace', verbs: ['update'] },
  'serviceaccounts/token': { kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] },
};

/** The subresources of one version of a resource, by name. */
export function subresourcesOf({ info, versions }: ServedResource, version: string): readonly SubresourceEntry[] {
  const served = versions.get(version);
  return info.subresources
    .filter((name) =>
      name === 'status' ? served?.hasStatus === true : name !== 'scale' || served?.scale !== undefined,
    )
    .toSorted()
    .map((name) => {
      if (name === 'scale') return { name, kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: READ_WRITE };
      const special = SPECIAL[`${info.plural}/${name}`];
      return special === undefined ? { name, kind: info.kind, verbs: READ_WRITE } : { name, ...special };
    });
}
