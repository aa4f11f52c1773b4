import { existsSync } from 'node:fs';
import type { KubeObject, RayCluster } from '@manta/api';
import { resources } from '@manta/kube';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answered, oracleFolder, type RecordedScenario, readScenarios } from '../real/recorded-scenarios.ts';
import { startKubelet } from './kubelet.ts';
import { startControllers } from './operator.ts';
import { differences, ORDER, objectsIn, ownAccounts, PATHS, podsIn, RELEASES, restored } from './recorded-objects.ts';
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
