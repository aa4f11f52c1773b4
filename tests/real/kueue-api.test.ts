import type { RayCluster } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { beforeAll, expect, it } from 'vitest';
import { PUBLISHED } from '../../tools/fetch/kube/published.ts';
import { workloadOf } from '../integration/kueue.ts';
import { installPublished } from '../support/published-crds.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { createRayApi, installCrds } from './ray-api.ts';

const plane = sharedControlPlane();

beforeAll(async () => {
  await installCrds(plane);
  const files = ['workloads', 'localqueues'].map((plural) => `kueue.x-k8s.io_${plural}.yaml`);
  await installPublished(plane, PUBLISHED.kueue, files);
}, 300_000);

it("a Workload of a RayCluster's templates is one that Kueue's published definitions accept, as are its queue and its label", async () => {
  const api = await createRayApi(plane);
  const spec = rayClusterSpec({
    suspend: true,
    workerGroupSpecs: [workerGroup('small', { replicas: 2, numOfHosts: 2 })],
  });
  const cluster = (await api.create('RayCluster', 'queued', spec)).body as RayCluster;
  const path = `/apis/kueue.x-k8s.io/v1beta1/namespaces/${cluster.metadata?.namespace}`;
  const queue = {
    apiVersion: 'kueue.x-k8s.io/v1beta1',
    kind: 'LocalQueue',
    metadata: { name: 'team' },
    spec: { clusterQueue: 'all' },
  };
  const post = (plural: string, body: object) =>
    plane.request('POST', `${path}/${plural}?fieldValidation=Strict`, body);
  expect((await post('localqueues', queue)).status).toBe(201);
  const answer = await post('workloads', workloadOf(cluster));
  expect(answer.text).toContain('"kind":"Workload"');
  expect(answer.status).toBe(201);
  const { podSets } = (answer.body as { spec: { podSets: { name: string; count: number }[] } }).spec;
  expect(podSets.map(({ name, count }) => [name, count])).toEqual([
    ['head', 1],
    ['small', 4],
  ]);
});
