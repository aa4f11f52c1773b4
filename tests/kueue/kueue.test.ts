import type { KubeObject, RayCluster, RayJob, RayService } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { type ResourceType, resources, systemClock } from '@manta/kube';
import { FakeHead, fakeSend } from '@manta/ray/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { realAccess } from '../conformance/support/real-access.ts';
import { startKubelet } from '../integration/kubelet.ts';
import { startControllers } from '../integration/operator.ts';
import { openStage, type Stage, until as untilThen } from '../integration/stage.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { type RunningKueue, startKueue } from './start-kueue.ts';

/** Kueue itself admits, suspends and resumes what our operator runs: its program, its definitions, its webhooks. */
let plane: ControlPlane;
let stage: Stage;
let kueue: RunningKueue;
let namespace: string;
let head: FakeHead;
let stops: (() => Promise<void>)[] = [];

const POOL = { 'cloud.example.com/pool': 'spot' };
const QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';
/** Three pods of one CPU each. */
const containers = [{ name: 'ray', image: 'ray', resources: { requests: { cpu: '1', memory: '1Gi' } } }];
const template = { spec: { containers } };
const SPEC = rayClusterSpec({
  headGroupSpec: { rayStartParams: {}, template },
  workerGroupSpecs: [workerGroup('small', { replicas: 2, template })],
});

const ofKueue = (plural: string, kind: string, isNamespaced: boolean): ResourceType => ({
  group: 'kueue.x-k8s.io',
  version: 'v1beta2',
  plural,
  kind,
  isNamespaced,
});
const flavors = ofKueue('resourceflavors', 'ResourceFlavor', false);
const clusterQueues = ofKueue('clusterqueues', 'ClusterQueue', false);
const localQueues = ofKueue('localqueues', 'LocalQueue', true);
const workloads = ofKueue('workloads', 'Workload', true);

type Loose = KubeObject & { readonly spec?: Record<string, unknown>; readonly status?: Record<string, unknown> };

beforeAll(async () => {
  plane = await startControlPlane({ controllerManager: true });
  stage = await openStage(realAccess(plane));
  kueue = await startKueue(plane);
  await create(flavors, { metadata: { name: 'spot' }, spec: { nodeLabels: POOL } });
}, 900_000);
afterAll(async () => {
  await kueue?.stop();
  await stage?.close();
  await plane?.stop();
});

beforeEach(async ({ onTestFailed }) => {
  onTestFailed(() => void process.stderr.write(`${kueue.log().split('\n').slice(-15).join('\n')}\n`));
  namespace = await stage.target.namespace();
  head = new FakeHead({ now: () => Date.now() });
  const kubelet = startKubelet(stage.admin, namespace);
  const { client } = await stage.operatorUser();
  const operator = startControllers(client, { namespaces: [namespace], sendToRay: fakeSend(systemClock, () => head) });
  stops = [() => kubelet.stop(), () => operator.stop()];
});
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
});

const until = <T>(what: string, probe: () => Promise<T | undefined>) => untilThen(what, probe, 45_000);
const create = (type: ResourceType, object: Loose) =>
  stage.admin.create<Loose>(type, { apiVersion: `${type.group}/${type.version}`, kind: type.kind, ...object });

/** A queue of its own for each test, for so many CPUs. */
async function openQueue(cpus: number): Promise<string> {
  const name = `all-${namespace}`;
  const quota = { name: 'cpu', nominalQuota: `${cpus}` };
  const memory = { name: 'memory', nominalQuota: '100Gi' };
  await create(clusterQueues, {
    metadata: { name },
    spec: {
      namespaceSelector: {},
      resourceGroups: [
        { coveredResources: ['cpu', 'memory'], flavors: [{ name: 'spot', resources: [quota, memory] }] },
      ],
    },
  });
  await create(localQueues, { metadata: { name: 'team', namespace }, spec: { clusterQueue: name } });
  return name;
}
const setQueue = (name: string, spec: object) =>
  stage.admin.patch(clusterQueues, { name }, { type: 'merge', body: { spec } });

const pods = async () => (await stage.admin.list(resources.pods, { namespace })).items;
const podsToBe = (count: number) =>
  until(`${count} pods`, async () => {
    const found = await pods();
    return found.length === count ? found : undefined;
  });
const labels = { [QUEUE_LABEL]: 'team' };
const queued = { metadata: { name: 'queued', namespace: '', labels } };
const conditionOf = async (type: string) => {
  const { items } = await stage.admin.list<Loose>(workloads, { namespace });
  const conditions = items.flatMap(
    ({ status }) => (status?.['conditions'] ?? []) as { type: string; status: string }[],
  );
  return conditions.find((each) => each.type === type)?.status;
};
const workloadToBe = (type: string, status: string) =>
  until(`a Workload that is ${type}: ${status}`, async () => ((await conditionOf(type)) === status ? true : undefined));
const cluster = (name = 'queued') => stage.admin.get<RayCluster>(resources.rayClusters, { name, namespace });

describe('a RayCluster in a queue of Kueue', () => {
  const make = () =>
    stage.admin.create<RayCluster>(resources.rayClusters, {
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      metadata: { ...queued.metadata, namespace },
      spec: SPEC,
    });

  it('is suspended, admitted to the nodes of its flavor, evicted when the queue is drained, and resumed', async () => {
    const queue = await openQueue(10);
    await make();
    await workloadToBe('Admitted', 'True');
    const running = await podsToBe(3);
    for (const { spec } of running) expect(spec?.nodeSelector).toMatchObject(POOL);
    await until('the cluster to be ready', async () =>
      (await cluster()).status?.state === 'ready' ? true : undefined,
    );

    await setQueue(queue, { stopPolicy: 'HoldAndDrain' });
    await podsToBe(0);
    expect((await cluster()).spec?.suspend).toBe(true);
    await until('the cluster to be suspended', async () =>
      (await cluster()).status?.state === 'suspended' ? true : undefined,
    );

    await setQueue(queue, { stopPolicy: 'None' });
    await podsToBe(3);
    await workloadToBe('Admitted', 'True');
  });

  it('waits without a pod while the queue has no room, and comes when it has', async () => {
    const queue = await openQueue(1);
    await make();
    await workloadToBe('QuotaReserved', 'False');
    expect(await pods()).toEqual([]);
    expect((await cluster()).spec?.suspend).toBe(true);
    const flavor = {
      name: 'spot',
      resources: [
        { name: 'cpu', nominalQuota: '20' },
        { name: 'memory', nominalQuota: '100Gi' },
      ],
    };
    await setQueue(queue, { resourceGroups: [{ coveredResources: ['cpu', 'memory'], flavors: [flavor] }] });
    await podsToBe(3);
  });
});

it('a RayJob in a queue of Kueue is admitted, evicted with its cluster, resumed, and its Workload ends with it', async () => {
  const queue = await openQueue(10);
  head.onSubmit = 'RUNNING';
  await stage.admin.create<RayJob>(resources.rayJobs, {
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: { ...queued.metadata, namespace },
    spec: {
      entrypoint: 'true',
      submissionMode: 'HTTPMode',
      shutdownAfterJobFinishes: true,
      rayClusterSpec: SPEC,
    },
  });
  const job = () => stage.admin.get<RayJob>(resources.rayJobs, { name: 'queued', namespace });
  const jobToBe = (state: string) =>
    until(`the job to be ${state}`, async () =>
      (await job()).status?.jobDeploymentStatus === state ? true : undefined,
    );
  await jobToBe('Running');
  for (const { spec } of await pods()) expect(spec?.nodeSelector).toMatchObject(POOL);

  await setQueue(queue, { stopPolicy: 'HoldAndDrain' });
  await jobToBe('Suspended');
  await podsToBe(0);
  expect((await stage.admin.list(resources.rayClusters, { namespace })).items).toEqual([]);

  await setQueue(queue, { stopPolicy: 'None' });
  await jobToBe('Running');
  head.setJob((await job()).status?.jobId ?? '', { status: 'SUCCEEDED' });
  await jobToBe('Complete');
  await workloadToBe('Finished', 'True');
});

it('the cluster of a RayService in a queue of Kueue is admitted, and serves', async () => {
  await openQueue(10);
  await stage.admin.create<RayService>(resources.rayServices, {
    apiVersion: 'ray.io/v1',
    kind: 'RayService',
    metadata: { ...queued.metadata, namespace },
    spec: { rayClusterConfig: SPEC, serveConfigV2: 'applications: [{ name: app, import_path: a.b }]' },
  });
  const running = await podsToBe(3);
  for (const { spec } of running) expect(spec?.nodeSelector).toMatchObject(POOL);
  // Its pods have no nodes, so that no Service has endpoints; what Serve says is enough for the cluster to be the one that serves.
  const active = await until('the cluster to be the active one', async () => {
    const { status } = await stage.admin.get<RayService>(resources.rayServices, { name: 'queued', namespace });
    return status?.activeServiceStatus?.rayClusterName || undefined;
  });
  expect((await stage.admin.list(resources.rayClusters, { namespace })).items).toHaveLength(1);
  expect((await cluster(active)).spec?.suspend).not.toBe(true);
});
