import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RayCluster } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { beforeAll, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { provideKueueCrds } from '../../tools/kueue/provide.ts';
import { workloadOf } from '../integration/kueue.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { createRayApi, installCrds } from './ray-api.ts';

const plane = sharedControlPlane();

beforeAll(async () => {
  await installCrds(plane);
  const folder = await provideKueueCrds();
  for (const kind of ['workloads', 'localqueues']) {
    const crd = parse(readFileSync(join(folder, `kueue.x-k8s.io_${kind}.yaml`), 'utf8'));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const made = await plane.request('POST', path, crd);
    if (made.status !== 201) throw new Error(made.text);
  }
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
  await vi.waitFor(async () => expect((await post('localqueues', queue)).status).toBe(201), { timeout: 20_000 });
  const answer = await post('workloads', workloadOf(cluster));
  expect(answer.text).toContain('"kind":"Workload"');
  expect(answer.status).toBe(201);
  const { podSets } = (answer.body as { spec: { podSets: { name: string; count: number }[] } }).spec;
  expect(podSets.map(({ name, count }) => [name, count])).toEqual([
    ['head', 1],
    ['small', 4],
  ]);
});
