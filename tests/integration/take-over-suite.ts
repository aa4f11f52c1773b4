import { existsSync } from 'node:fs';
import type { KubeObject, RayCluster } from '@manta/api';
import { resources } from '@manta/kube';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answered, oracleFolder, type RecordedScenario, readScenarios } from '../real/recorded-scenarios.ts';
import { startKubelet } from './kubelet.ts';
import { startControllers } from './operator.ts';
import { type Stage, until } from './stage.ts';

/** A cluster with everything that the peer had made for it. */
interface Recording {
  readonly name: string;
  readonly release: (typeof RELEASES)[number];
  readonly cluster: RayCluster;
  readonly children: readonly KubeObject[];
}

interface Result {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly state: string | undefined;
  /** What is no longer as the peer had made it. */
  readonly changed: readonly string[];
}

/** The releases whose objects are taken over; each recording is made to look like one of them. */
const RELEASES = ['v1.4.2', 'v1.5.1', 'v1.6.0', 'v1.7.0'] as const;
/** What the peer writes anew itself when it finds another's, without touching the pod. Older releases have none. */
const STAMPS = ['ray.io/upgrade-strategy-recreate-hash', 'ray.io/kuberay-version'];
const WITHOUT_STAMPS: readonly string[] = ['v1.4.2', 'v1.5.1'];

/** What pods refer to comes before them. */
const ORDER = ['ServiceAccount', 'Role', 'RoleBinding', 'Secret', 'PersistentVolumeClaim', 'Service', 'Ingress', 'Pod'];
const PATHS: Readonly<Record<string, string>> = {
  ServiceAccount: '/api/v1/namespaces/NS/serviceaccounts',
  Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings',
  Secret: '/api/v1/namespaces/NS/secrets',
  PersistentVolumeClaim: '/api/v1/namespaces/NS/persistentvolumeclaims',
  Service: '/api/v1/namespaces/NS/services',
  Ingress: '/apis/networking.k8s.io/v1/namespaces/NS/ingresses',
  Pod: '/api/v1/namespaces/NS/pods',
};
const API_VERSIONS: Readonly<Record<string, string>> = {
  Role: 'rbac.authorization.k8s.io/v1',
  RoleBinding: 'rbac.authorization.k8s.io/v1',
  Ingress: 'networking.k8s.io/v1',
};

/** The Ingress that was in the peer's way there was not recorded: here the name is free, and we make what the peer could not. */
const INGRESS_OF_ANOTHER = 'dyn-ingress-collision';

/** Clusters as the peer leaves them behind are taken over: no pod comes, none goes. Needs a server of its own. */
export function takeOverSuite(open: () => Stage): void {
  const recordings = existsSync(oracleFolder) ? recordingsOf(readScenarios('^(static|sample|dyn)-')) : [];
  const results = new Map<string, Result>();

  beforeAll(async () => {
    const stage = open();
    const placed = new Map<
      string,
      { readonly namespace: string; readonly pods: readonly string[]; readonly objects: ReadonlyMap<string, string> }
    >();
    for (const recording of recordings) {
      const namespace = await stage.target.namespace();
      await place(stage, recording, namespace);
      placed.set(recording.name, {
        namespace,
        pods: await podsIn(stage, namespace),
        objects: await objectsIn(stage, namespace),
      });
    }
    const person = await stage.operatorUser();
    const operator = startControllers(person.client, { namespaces: [] });
    await until('every cluster to be looked at', async () => {
      const { items } = await stage.admin.list<RayCluster>(resources.rayClusters);
      return items.every(({ status, metadata }) => status?.observedGeneration === metadata?.generation)
        ? true
        : undefined;
    });
    await operator.stop();
    // A second operator has nothing left to do either.
    const again = startControllers(person.client, { namespaces: [] });
    await new Promise((resolve) => void setTimeout(resolve, 5_000));
    await again.stop();
    for (const [name, { namespace, pods, objects }] of placed) {
      const [cluster] = (await stage.admin.list<RayCluster>(resources.rayClusters, { namespace })).items;
      const after = await podsIn(stage, namespace);
      const changed = differences(objects, await objectsIn(stage, namespace));
      results.set(name, { before: pods, after, state: cluster?.status?.state, changed });
    }
  }, 300_000);

  describe("a RayCluster of the peer's", () => {
    it.each(recordings.map(({ name }) => name))('as in %s is taken over without touching a pod', (name) => {
      const { before, after, state } = results.get(name) ?? { before: ['nothing'], after: [], state: '' };
      expect(after).toEqual(before);
      expect(state).toBe('ready');
    });

    it.each(recordings.flatMap(({ name }) => (name === INGRESS_OF_ANOTHER ? [] : [name])))(
      'as in %s has every object as the peer left it: the way back is open',
      (name) => {
        expect(results.get(name)?.changed).toEqual([]);
      },
    );

    it.each(RELEASES)('of %s is among them', (release) => {
      expect(recordings.filter((recording) => recording.release === release).length).toBeGreaterThan(10);
    });

    it('is not only one', () => {
      expect(recordings.length).toBeGreaterThan(50);
    });
  });
}

/** By name and uid. */
async function podsIn(stage: Stage, namespace: string): Promise<readonly string[]> {
  const { items } = await stage.admin.list(resources.pods, { namespace });
  return items
    .map(({ metadata }) => `${metadata?.name} ${metadata?.uid} ${metadata?.deletionTimestamp ?? ''}`)
    .toSorted();
}

/** Every object that the peer may have made, by kind and name, without what changes by itself and the stamps. */
async function objectsIn(stage: Stage, namespace: string): Promise<ReadonlyMap<string, string>> {
  const objects = new Map<string, string>();
  for (const [kind, path] of Object.entries(PATHS)) {
    const { items } = await stage.target.list(path.replace('NS', namespace));
    for (const { status: _, metadata, ...rest } of items) {
      const { resourceVersion: __, managedFields: ___, annotations, ...others } = metadata;
      const kept = Object.entries(annotations ?? {}).filter(([name]) => !STAMPS.includes(name));
      const object = { ...rest, metadata: { ...others, annotations: Object.fromEntries(kept) } };
      objects.set(`${kind}/${metadata.name}`, JSON.stringify(sorted(object)));
    }
  }
  return objects;
}

/** The same value with its keys in order. */
function sorted(value: Answered): Answered {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
}

async function place(stage: Stage, { cluster, children }: Recording, namespace: string): Promise<void> {
  const made = await stage.admin.create<RayCluster>(resources.rayClusters, {
    ...cluster,
    apiVersion: 'ray.io/v1',
    metadata: { ...cluster.metadata, namespace },
  });
  const uid = made.metadata?.uid ?? '';
  for (const account of ownAccounts(children))
    await stage.target.must('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: account } });
  for (const child of children) {
    const path = (PATHS[child.kind ?? ''] ?? '').replace('NS', namespace);
    const text = JSON.stringify(child)
      .replaceAll('<ns>', namespace)
      .replaceAll(/<uid:RayCluster\/[^>]*>/g, uid);
    await stage.target.must('POST', path, JSON.parse(text));
  }
  const kubelet = startKubelet(stage.admin, namespace);
  await until('the pods to run', async () => {
    const { items } = await stage.admin.list(resources.pods, { namespace });
    return items.every(({ status }) => status?.phase === 'Running') ? true : undefined;
  });
  await kubelet.stop();
}

/** Accounts that users brought themselves. */
function ownAccounts(children: readonly Answered[]): ReadonlySet<string> {
  const named = new Set<string>(children.flatMap(({ spec }) => spec?.serviceAccountName ?? []));
  for (const { kind, metadata } of children) if (kind === 'ServiceAccount') named.delete(metadata.name);
  named.delete('default');
  return named;
}

/** The first moment of each scenario at which the peer's one cluster was at rest; only those with its usual settings. */
function recordingsOf(scenarios: Readonly<Record<string, RecordedScenario>>): readonly Recording[] {
  return Object.entries(scenarios).flatMap(([name, { operator, snapshots }], i) => {
    const release = RELEASES[i % RELEASES.length] ?? RELEASES[0];
    const snapshot = snapshots.find(({ clusters, objects }) => isAtRest(clusters, objects));
    const [cluster] = snapshot?.clusters ?? [];
    if (cluster === undefined || snapshot === undefined || Object.keys(operator ?? {}).length > 0) return [];
    const children = Object.entries<Answered>(snapshot.objects)
      .map(([key, object]) => restored(key, object, release))
      .filter(({ kind = '' }) => ORDER.includes(kind))
      .toSorted((a, b) => ORDER.indexOf(a.kind ?? '') - ORDER.indexOf(b.kind ?? ''));
    return [{ name, release, cluster, children }];
  });
}

/** Ready, with one head and as many workers as were asked for, none of them going, and a spec that the peer itself had accepted. */
function isAtRest(clusters: readonly RayCluster[], objects: Readonly<Record<string, Answered>>): boolean {
  const [cluster] = clusters;
  const status = objects[`RayCluster/${cluster?.metadata?.name}`]?.status;
  const pods = Object.entries(objects).flatMap(([key, object]) => (key.startsWith('Pod/') ? [object] : []));
  const heads = pods.filter(({ metadata }) => metadata.labels?.['ray.io/node-type'] === 'head');
  return (
    clusters.length === 1 &&
    status?.state === 'ready' &&
    status.observedGeneration === '<newest>' &&
    heads.length === 1 &&
    pods.length === 1 + (status.desiredWorkerReplicas ?? 0) &&
    pods.every(({ metadata }) => metadata.deletionTimestamp === undefined)
  );
}

/** A recorded object as it was: its placeholders filled, and without what only a server can say. */
function restored(key: string, object: Answered, release: string): KubeObject {
  const [kind = '', name = ''] = key.split('/');
  const text = JSON.stringify(object)
    .replaceAll(/<hash#(\d+)>/g, 'PEERSHASH$1')
    .replaceAll('<version>', release)
    .replaceAll(/#(\w+)/g, 'x$1');
  const { status: _, oracle: __, ...rest } = withoutPlaceholders(JSON.parse(text));
  const { generation: ___, ...metadata } = rest.metadata ?? {};
  if (WITHOUT_STAMPS.includes(release)) for (const stamp of STAMPS) delete metadata.annotations?.[stamp];
  return {
    ...rest,
    apiVersion: API_VERSIONS[kind] ?? 'v1',
    kind,
    metadata: { ...metadata, name: name.replaceAll('#', 'x') },
  };
}

/** Addresses, ports and times are given anew; programs that were recorded in another form do not matter here. */
function withoutPlaceholders(value: Answered): Answered {
  if (Array.isArray(value)) return value.filter((each) => !isPlaceholder(each)).map(withoutPlaceholders);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => !isPlaceholder(each))
      .map(([key, each]) => [
        key,
        key === 'data' ? {} : key === 'args' || key === 'command' ? texts(each) : withoutPlaceholders(each),
      ]),
  );
}

function isPlaceholder(value: unknown): boolean {
  return typeof value === 'string' && /^<(ip|nodePort|time|masked|\d+ bytes)/.test(value);
}

function texts(value: Answered): readonly string[] {
  return Array.isArray(value) ? value.map((each) => (typeof each === 'string' ? each : 'true')) : ['true'];
}
