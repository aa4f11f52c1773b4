import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { CustomResourceDefinition } from '@manta/api';
import { crds } from '@manta/api/crds';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import {
  type Answered,
  applyCrd,
  clusterSpec,
  crdPath,
  createRayApi,
  installCrds,
  podTemplate,
  type RayApi,
  surprise,
  workerGroup,
} from './ray-api.ts';

const plane = sharedControlPlane();
let ray: RayApi;

beforeAll(async () => {
  await installCrds(plane);
  ray = await createRayApi(plane);
});

describe('our CRDs', () => {
  it.each(crds())('$metadata.name is taken by the server without a warning', async (crd) => {
    const answer = await applyCrd(plane, crd);
    expect(surprise(answer, 200)).toBeUndefined();
    expect(answer.headers['warning']).toBeUndefined();
  });

  it.each(crds())('$metadata.name is established, with accepted names and a structural schema', async (crd) => {
    const stored = (await plane.request('GET', crdPath(crd))).body as CustomResourceDefinition;
    const conditions = Object.fromEntries(stored.status?.conditions?.map(({ type, status }) => [type, status]) ?? []);
    expect(conditions).toEqual({ Established: 'True', NamesAccepted: 'True' });
    expect(stored.status?.storedVersions).toEqual(['v1']);
  });

  it('install from YAML with kubectl apply --server-side', async () => {
    const yaml = crds()
      .map((crd) => stringify(crd))
      .join('---\n');
    const said = await plane.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input: yaml });
    expect(said.match(/serverside-applied/g)).toHaveLength(4);
  });

  it('are explained by kubectl in our words', async () => {
    expect(await plane.kubectl(['explain', 'raycluster.spec.suspend'])).toContain('Deletes all pods of the cluster');
  });
});

const columns: Readonly<Record<string, readonly [kind: string, version: string, names: readonly string[]]>> = {
  'RayCluster v1': [
    'RayCluster',
    'v1',
    [
      'Name',
      'desired workers',
      'available workers',
      'cpus',
      'memory',
      'gpus',
      'tpus',
      'status',
      'age',
      'head pod IP',
      'head service IP',
      'reason',
      'message',
    ],
  ],
  'RayCluster v1alpha1': [
    'RayCluster',
    'v1alpha1',
    [
      'Name',
      'desired workers',
      'available workers',
      'cpus',
      'memory',
      'gpus',
      'tpus',
      'status',
      'age',
      'head pod IP',
      'head service IP',
      'reason',
      'message',
    ],
  ],
  'RayJob v1': [
    'RayJob',
    'v1',
    [
      'Name',
      'job status',
      'deployment status',
      'ray cluster name',
      'start time',
      'end time',
      'age',
      'reason',
      'message',
    ],
  ],
  'RayJob v1alpha1': ['RayJob', 'v1alpha1', ['Name', 'Age']],
  'RayService v1': ['RayService', 'v1', ['Name', 'service status', 'num serve endpoints', 'reason', 'message']],
  'RayService v1alpha1': ['RayService', 'v1alpha1', ['Name', 'Age']],
  'RayCronJob v1': [
    'RayCronJob',
    'v1',
    ['Name', 'schedule', 'timezone', 'last schedule', 'age', 'suspend', 'reason', 'message'],
  ],
};

describe('kubectl get shows the columns of', () => {
  it.each(Object.entries(columns))('%s', async (_, [kind, version, names]) => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = await plane.request('GET', ray.path(kind, undefined, version), undefined, { accept });
    expect((table.body as Answered).columnDefinitions.map((column: Answered) => column.name)).toEqual(names);
  });
});

describe('subresources', () => {
  it('status is written on its own: a create ignores it, a status patch leaves the spec alone', async () => {
    await plane.request('POST', ray.path('RayCluster'), {
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      metadata: { name: 'with-status' },
      spec: clusterSpec(),
      status: { state: 'ready' },
    });
    expect((await ray.get('RayCluster', 'with-status')).status).toBeUndefined();
    await ray.patch('RayCluster', 'with-status', { status: { state: 'ready' }, spec: { rayVersion: '2' } }, 'status');
    const stored = await ray.get('RayCluster', 'with-status');
    expect(stored.status).toEqual({ state: 'ready' });
    expect(stored.spec.rayVersion).toBeUndefined();
    expect(stored.metadata.generation).toBe(1);
  });

  it('scale does not exist', async () => {
    await ray.create('RayCluster', 'no-scale', clusterSpec());
    expect((await plane.request('GET', `${ray.path('RayCluster', 'no-scale')}/scale`)).status).toBe(404);
  });
});

describe('fields that the schema does not know', () => {
  it('are pruned, and embedded metadata keeps its five fields only', async () => {
    const template = {
      metadata: {
        name: 'n',
        namespace: 'x',
        generateName: 'gone-',
        labels: { a: 'b' },
        annotations: { c: 'd' },
        finalizers: ['e/f'],
        ownerReferences: [],
      },
      ...podTemplate({ unheardOf: true }),
    };
    await ray.create('RayCluster', 'pruned', { headGroupSpec: { template, madeUp: 1 }, surprise: {} });
    const { spec } = await ray.get('RayCluster', 'pruned');
    expect(spec.surprise).toBeUndefined();
    expect(spec.headGroupSpec.madeUp).toBeUndefined();
    expect(spec.headGroupSpec.template.spec.containers[0]).toEqual({ name: 'ray', image: 'ray' });
    expect(Object.keys(spec.headGroupSpec.template.metadata).toSorted()).toEqual([
      'annotations',
      'finalizers',
      'labels',
      'name',
      'namespace',
    ]);
  });

  it('are refused where the client asks for strictness', async () => {
    const body = {
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      metadata: { name: 'x' },
      spec: clusterSpec({ oops: 1 }),
    };
    const answer = await plane.request('POST', `${ray.path('RayCluster')}?dryRun=All&fieldValidation=Strict`, body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('unknown field \\"spec.oops\\"');
  });
});

describe('v1alpha1', () => {
  const old = {
    headGroupSpec: { rayStartParams: { 'num-cpus': '1' }, template: podTemplate() },
    workerGroupSpecs: [workerGroup('small', { rayStartParams: {}, numOfHosts: 4 })],
    rayVersion: '2.9.0',
    managedBy: 'ray.io/kuberay-operator',
  };

  it.each(['RayCluster', 'RayJob', 'RayService'])('%s answers with a deprecation warning', async (kind) => {
    const answer = await plane.request('GET', ray.path(kind, undefined, 'v1alpha1'));
    expect(answer.headers['warning']).toBe(
      `299 - "ray.io/v1alpha1 ${kind} is deprecated; use ray.io/v1 ${kind}. v1alpha1 receives no new fields and will be unavailable in KubeRay 1.9."`,
    );
  });

  it('v1 answers without one', async () => {
    expect((await plane.request('GET', ray.path('RayCluster'))).headers['warning']).toBeUndefined();
  });

  it('RayCronJob does not exist there', async () => {
    expect((await plane.request('GET', ray.path('RayCronJob', undefined, 'v1alpha1'))).status).toBe(404);
  });

  it('a cluster written there is the same object in v1, less the fields that v1alpha1 never had', async () => {
    const made = await ray.create('RayCluster', 'old', old, 'v1alpha1');
    expect(made.status).toBe(201);
    expect(made.headers['warning']).toContain('ray.io/v1alpha1 RayCluster is deprecated');
    const { spec, metadata } = await ray.get('RayCluster', 'old');
    expect(spec.managedBy).toBeUndefined();
    expect(spec.rayVersion).toBe('2.9.0');
    expect(spec.workerGroupSpecs[0]).toMatchObject({ minReplicas: 0, maxReplicas: 2147483647, numOfHosts: 1 });
    const read = await ray.get('RayCluster', 'old', 'v1alpha1');
    expect(read.metadata.uid).toBe(metadata.uid);
    expect(read.apiVersion).toBe('ray.io/v1alpha1');
    expect(read.spec).toEqual((made.body as Answered).spec);
  });

  it('a cluster written in v1 reads there without the newer fields, and loses none of them by being read', async () => {
    await ray.create('RayCluster', 'new', clusterSpec({ authOptions: { mode: 'disabled' }, suspend: true }));
    const read = await ray.get('RayCluster', 'new', 'v1alpha1');
    expect(read.spec.authOptions).toBeUndefined();
    expect(read.spec.suspend).toBe(true);
    expect((await ray.get('RayCluster', 'new')).spec.authOptions).toEqual({ mode: 'disabled' });
  });

  it('requires what v1 no longer does', async () => {
    const answer = await ray.dryRun('RayCluster', clusterSpec(), 'v1alpha1');
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('spec.headGroupSpec.rayStartParams: Required value');
    const job = await ray.dryRun('RayJob', { rayClusterSpec: old }, 'v1alpha1');
    expect(job.text).toContain('spec.entrypoint: Required value');
  });
});
