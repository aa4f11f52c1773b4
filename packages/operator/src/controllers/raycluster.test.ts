import type { KubeObject, RayCluster, RayClusterSpec } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { FakeHead } from '@manta/ray/testing';
import type { EventInput } from '@manta/runtime';
import { FakeClient, FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runRayClusterController } from '../testing/raycluster-controller.ts';

const REF = { name: 'demo', namespace: 'ml' };
const IDLE_MS = 400_000;
let clock: FakeClock;
let client: FakeClient;
let events: EventInput[];
let stop: AbortController;
/** Whatever head is asked. */
let head: FakeHead;
let headAt: (origin: string) => FakeHead;

beforeEach(async () => {
  clock = new FakeClock();
  client = new FakeClient({ clock });
  events = [];
  head = new FakeHead({ now: () => clock.now() });
  headAt = () => head;
  await start();
});
afterEach(() => stop.abort());

/** A new process: it knows nothing of the one before. */
async function start(): Promise<void> {
  stop = runRayClusterController({ clock, client, events, headAt: (origin) => headAt(origin) });
  await clock.advance(100);
}

async function restart(): Promise<void> {
  stop.abort();
  await clock.settle();
  await start();
}

const apply = (spec: Partial<RayClusterSpec> = {}, metadata: RayCluster['metadata'] = {}) =>
  client.create<RayCluster>(resources.rayClusters, {
    metadata: { ...REF, ...metadata },
    spec: rayClusterSpec({ workerGroupSpecs: [workerGroup('small', { replicas: 2 })], ...spec }),
  });
const cluster = () => client.get<RayCluster>(resources.rayClusters, REF);
const pods = async () => (await client.list(resources.pods)).items;
const podNames = async () => (await pods()).map(({ metadata }) => metadata?.name ?? '').toSorted();
const patchSpec = (spec: object) => client.patch(resources.rayClusters, REF, { type: 'merge', body: { spec } });
const writes = () => client.requests.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb)).length;

const addressOf = (name: string) => `pod-${name}`;

/** What the kubelet would do. */
async function runPods(): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'True', reason: '', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  for (const { metadata } of await pods()) {
    const ref = { name: metadata?.name ?? '', namespace: 'ml' };
    const body = { status: { phase: 'Running', podIP: addressOf(ref.name), conditions } };
    await client.patch(resources.pods, ref, { type: 'merge', body }, { subresource: 'status' });
  }
  await clock.advance(5000);
}

describe('a RayCluster', () => {
  it('becomes ready, and then nothing is written any more, not even after a restart', async () => {
    await apply();
    await clock.advance(1000);
    expect(await podNames()).toHaveLength(3);
    await runPods();
    expect((await cluster()).status).toMatchObject({ state: 'ready', readyWorkerReplicas: 2 });
    const before = writes();
    await clock.advance(IDLE_MS);
    await restart();
    await clock.advance(IDLE_MS);
    expect(writes()).toBe(before);
  });

  it('gets a pod back that was deleted by hand, under another name', async () => {
    await apply();
    await clock.advance(1000);
    const [first = ''] = (await podNames()).filter((name) => name.includes('worker'));
    await client.delete(resources.pods, { name: first, namespace: 'ml' });
    await clock.advance(1000);
    expect(await podNames()).toHaveLength(3);
    expect(await podNames()).not.toContain(first);
  });

  it('gets its Ingress back at once when somebody deletes it', async () => {
    await apply({ headGroupSpec: { ...rayClusterSpec().headGroupSpec, enableIngress: true } });
    await runPods();
    await client.delete(resources.ingresses, { name: 'demo-head-ingress', namespace: 'ml' });
    await clock.advance(1000);
    expect((await client.list(resources.ingresses)).items).toHaveLength(1);
  });

  it('whose account is missing for a long time goes on within a minute once it is there', async () => {
    const { headGroupSpec } = rayClusterSpec();
    const { template } = headGroupSpec;
    const podSpec = { containers: [], ...template.spec, serviceAccountName: 'mine' };
    await apply({
      enableInTreeAutoscaling: true,
      headGroupSpec: { ...headGroupSpec, template: { ...template, spec: podSpec } },
    });
    await clock.advance(3_600_000);
    expect(await podNames()).toEqual([]);
    await client.create(resources.serviceAccounts, { metadata: { name: 'mine', namespace: 'ml' } });
    await clock.advance(61_000);
    expect(await podNames()).toHaveLength(3);
  });

  it('whose head gets another account has the binding follow with the next head, and written once', async () => {
    await client.create(resources.serviceAccounts, { metadata: { name: 'mine', namespace: 'ml' } });
    await apply({ enableInTreeAutoscaling: true });
    await clock.advance(1000);
    await runPods();
    const bound = async () => (await client.get(resources.roleBindings, REF)).subjects?.map(({ name }) => name);
    await patchSpec({ headGroupSpec: { template: { spec: { serviceAccountName: 'mine' } } } });
    await clock.advance(IDLE_MS);
    expect(await bound()).toEqual(['demo']);
    const [old = ''] = (await podNames()).filter((name) => name.includes('head'));
    await client.delete(resources.pods, { name: old, namespace: 'ml' });
    await clock.advance(1000);
    await runPods();
    await clock.advance(IDLE_MS);
    expect(await bound()).toEqual(['mine']);
    const written = client.requests.filter(({ path, verb }) => path.includes('rolebindings') && /^[cd]/.test(verb));
    expect(written.map(({ verb }) => verb)).toEqual(['create', 'delete', 'create']);
  });

  it('whose name is cut like that of another gets an account and a token of its own, which stay when the other goes', async () => {
    const spec = { rayVersion: '2.55.0', enableInTreeAutoscaling: true, authOptions: { mode: 'token' } } as const;
    const names = ['a', 'c'].map((letter) => `${letter}${'b'.repeat(52)}`);
    for (const name of names) {
      await apply(spec, { name });
      await clock.advance(1000);
    }
    const objects = async () =>
      Promise.all(
        [resources.serviceAccounts, resources.roles, resources.roleBindings, resources.secrets].map(async (type) => {
          const { items } = await client.list<KubeObject>(type);
          return items.map(({ metadata }) => `${metadata?.ownerReferences?.[0]?.name?.[0]}: ${metadata?.name}`);
        }),
      );
    const [first = '', second = ''] = (await objects())[0] ?? [];
    expect([first, second]).toEqual([`a: ${'b'.repeat(50)}`, expect.stringMatching(/^c: cb{43}-.....$/)]);
    expect(await objects()).toEqual(Array.from({ length: 4 }, () => [first, second]));
    await client.delete(resources.rayClusters, { name: names[0] ?? '', namespace: 'ml' });
    for (const type of [resources.serviceAccounts, resources.roles, resources.roleBindings, resources.secrets])
      await client.delete(type, { name: 'b'.repeat(50), namespace: 'ml' });
    await clock.advance(IDLE_MS);
    expect(await objects()).toEqual(Array.from({ length: 4 }, () => [second]));
  });

  it('shares nothing with another that comes at the same moment and whose name is cut to the same', async () => {
    const spec = { rayVersion: '2.55.0', enableInTreeAutoscaling: true, authOptions: { mode: 'token' } } as const;
    const names = ['a', 'c'].map((letter) => `${letter}${'b'.repeat(52)}`);
    await Promise.all(names.map((name) => apply(spec, { name })));
    await clock.advance(5000);
    const found = await client.list<KubeObject>(resources.secrets);
    const secrets = found.items.map(({ metadata }) => [metadata?.ownerReferences?.[0]?.name, metadata?.name]);
    const known = (await pods()).flatMap(({ metadata, spec: made }) =>
      (made?.containers ?? []).flatMap(({ env = [] }) =>
        env.flatMap(({ valueFrom }) => {
          const secret = valueFrom?.secretKeyRef?.name;
          return secret === undefined ? [] : [[metadata?.labels?.['ray.io/cluster'], secret].join(' ')];
        }),
      ),
    );
    expect(known.length).toBeGreaterThan(0);
    expect(secrets.map((each) => each.join(' '))).toEqual(expect.arrayContaining(known));
    expect(new Set(secrets.map(([owner]) => owner))).toEqual(new Set(names));
    expect(events.filter(({ reason }) => reason === 'SharedObjectNames')).toEqual([]);
  });

  it('is suspended as a whole and comes back as a whole', async () => {
    await apply();
    await runPods();
    await patchSpec({ suspend: true });
    await clock.advance(2000);
    expect(await pods()).toEqual([]);
    expect((await cluster()).status?.state).toBe('suspended');
    await patchSpec({ suspend: false });
    await clock.advance(2000);
    expect(await pods()).toHaveLength(3);
    expect(events.filter(({ note }) => note.includes('suspension'))).toHaveLength(1);
  });

  it('is suspended at once, however long something else about it has failed', async () => {
    await apply();
    await runPods();
    const { metadata, ...service } = await client.get(resources.services, { ...REF, name: 'demo-head-svc' });
    const { labels, ownerReferences } = metadata ?? {};
    const second = {
      name: 'second',
      namespace: 'ml',
      ...(labels && { labels }),
      ...(ownerReferences && { ownerReferences }),
    };
    await client.create(resources.services, { ...service, metadata: second });
    await clock.advance(IDLE_MS);
    await patchSpec({ suspend: true });
    await clock.advance(2000);
    expect(await pods()).toEqual([]);
  });

  it('is recreated once when its spec changes and it asks for that', async () => {
    await apply({ upgradeStrategy: { type: 'Recreate' } });
    await runPods();
    const before = await podNames();
    await patchSpec({ rayVersion: '2.53.0' });
    await clock.advance(5000);
    expect(await pods()).toHaveLength(3);
    expect((await podNames()).filter((name) => before.includes(name))).toEqual([]);
    expect(events.filter(({ note }) => note.includes('Recreate'))).toHaveLength(1);
  });

  it('that keeps state in Redis goes when its cleanup Job has ended', async () => {
    await apply({ gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } });
    await clock.advance(1000);
    await client.delete(resources.rayClusters, REF);
    await clock.advance(1000);
    const [job] = (await client.list(resources.jobs)).items;
    expect(job?.metadata?.name).toBe('demo-redis-cleanup');
    const body = { status: { conditions: [{ type: 'Complete', status: 'True' }] } };
    const ref = { name: 'demo-redis-cleanup', namespace: 'ml' };
    await client.patch(resources.jobs, ref, { type: 'merge', body }, { subresource: 'status' });
    await clock.advance(1000);
    expect((await client.list(resources.rayClusters)).items).toEqual([]);
  });

  it('that is deleted in the foreground has Redis cleaned as soon as Kubernetes has deleted the rest', async () => {
    await apply({ gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } }, { finalizers: ['foregroundDeletion'] });
    await clock.advance(1000);
    await client.delete(resources.rayClusters, REF);
    await clock.advance(30_500);
    expect((await client.list(resources.jobs)).items).toEqual([]);
    const finalizers = (await cluster()).metadata?.finalizers?.filter((each) => each !== 'foregroundDeletion');
    await client.patch(resources.rayClusters, REF, { type: 'merge', body: { metadata: { finalizers } } });
    await clock.advance(1000);
    expect((await client.list(resources.jobs)).items).toHaveLength(1);
  });

  it('that keeps state in Redis goes in time when no Job may be made', async () => {
    await apply({ gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } });
    await clock.advance(1000);
    client.faults.onRequest = ({ verb, path }) => {
      if (verb === 'create' && path.includes('/jobs')) throw new Error('jobs are forbidden');
    };
    await client.delete(resources.rayClusters, REF);
    await clock.advance(299_000);
    expect((await client.list(resources.rayClusters)).items).toHaveLength(1);
    await clock.advance(2000);
    expect((await client.list(resources.rayClusters)).items).toEqual([]);
    expect(events.map(({ reason }) => reason)).toContain('ForceDeletedStuckCluster');
  });
});

describe('a RayCluster whose head was replaced', () => {
  const conditionOf = async () =>
    (await cluster()).status?.conditions?.find(({ type }) => type === 'WorkersRejoined')?.message;
  const deletePod = (name: string) => client.delete(resources.pods, { name, namespace: 'ml' });

  /** A cluster of two workers gets another head; Ray says that only the first of them has joined it. */
  async function replaceHead(): Promise<readonly string[]> {
    await apply();
    await clock.advance(1000);
    await runPods();
    const [oldHead = ''] = (await podNames()).filter((name) => name.includes('head'));
    const workers = (await podNames()).filter((name) => name.includes('worker'));
    const [first = ''] = workers;
    head.nodes = [{ node_id: 'w', node_ip: addressOf(first), is_head_node: false, state: 'ALIVE' }];
    await clock.advance(10_000);
    await deletePod(oldHead);
    await clock.advance(1000);
    await runPods();
    return workers;
  }

  it('replaces the workers that do not join the new one in time, and only those', async () => {
    const [first = '', second = ''] = await replaceHead();
    await clock.advance(70_000);
    expect(await conditionOf()).toMatch(/^1 of 2 workers have joined the new head Pod/);
    await clock.advance(60_000);
    await runPods();
    expect(await podNames()).toHaveLength(3);
    expect(await podNames()).toContain(first);
    expect(await podNames()).not.toContain(second);
    expect(await conditionOf()).toBe('1 of 1 workers have joined the new head Pod');
  });

  it('asks Ray nothing before there is something to ask, and nothing any more when all is well', async () => {
    const workers = await replaceHead();
    expect(head.requests).toEqual([]);
    head.nodes = workers.map((name) => ({
      node_id: name,
      node_ip: addressOf(name),
      is_head_node: false,
      state: 'ALIVE',
    }));
    await clock.advance(80_000);
    expect(await conditionOf()).toBe('2 of 2 workers have joined the new head Pod');
    const asked = head.requests.length;
    expect(asked).toBeGreaterThan(0);
    await clock.advance(IDLE_MS);
    expect(head.requests).toHaveLength(asked);
    expect(await podNames()).toEqual(expect.arrayContaining([...workers]));
  });

  it('leaves its workers alone when Ray does not answer', async () => {
    head.mood = { kind: 'dead' };
    const workers = await replaceHead();
    await clock.advance(IDLE_MS);
    expect(await podNames()).toEqual(expect.arrayContaining([...workers]));
    expect(await conditionOf()).toBeUndefined();
  });
});

describe('a RayCluster with two heads', () => {
  it('keeps the one that its workers use', async () => {
    const { metadata } = await apply();
    await clock.advance(1000);
    const [worker = ''] = (await podNames()).filter((name) => name.includes('worker'));
    const labels = { 'ray.io/cluster': 'demo', 'ray.io/node-type': 'head', 'ray.io/group': 'headgroup' };
    const owner = {
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      name: 'demo',
      uid: metadata?.uid ?? '',
      controller: true,
    };
    const second = { name: 'second-head', namespace: 'ml', labels, ownerReferences: [owner] };
    await client.create<KubeObject>(resources.pods, { metadata: second });
    await runPods();
    const used = new FakeHead({ now: () => clock.now() });
    used.nodes = [{ node_id: 'w', node_ip: addressOf(worker), is_head_node: false, state: 'ALIVE' }];
    headAt = (origin) => (origin.includes('second-head') ? used : head);
    await clock.advance(5000);
    expect(events.map(({ reason }) => reason)).toContain('MultipleHeadPods');
    await clock.advance(90_000);
    expect((await podNames()).filter((name) => name.includes('head'))).toEqual(['second-head']);
  });
});

describe('a RayCluster whose pods are refused', () => {
  it('is told once, tried less and less often, and comes up when it may', async () => {
    let tries = 0;
    client.faults.onRequest = ({ verb, path }) => {
      if (verb !== 'create' || !path.includes('/pods')) return;
      tries += 1;
      throw new Error('exceeded quota');
    };
    await apply();
    await clock.advance(120_000);
    expect(tries).toBeLessThan(15);
    expect((await cluster()).status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'ReplicaFailure', status: 'True' }),
    );
    delete client.faults.onRequest;
    await clock.advance(61_000);
    expect(await podNames()).toHaveLength(3);
  });

  it('goes on with the groups that are not', async () => {
    const create = client.create.bind(client);
    client.create = async (type, object, options) => {
      if (object.metadata?.generateName === 'demo-small-worker-') throw new Error('no');
      return await create(type, object, options);
    };
    await apply({ workerGroupSpecs: [workerGroup('small', { replicas: 2 }), workerGroup('big', { replicas: 2 })] });
    await clock.advance(2000);
    expect((await podNames()).filter((name) => name.includes('big'))).toHaveLength(2);
  });

  it('is told of its other pods as soon as any cluster', async () => {
    const create = client.create.bind(client);
    client.create = async (type, object, options) => {
      if (object.metadata?.generateName === 'demo-small-worker-') throw new Error('no');
      return await create(type, object, options);
    };
    await apply({ workerGroupSpecs: [workerGroup('small', { replicas: 2 }), workerGroup('big', { replicas: 3 })] });
    // By now the group is tried once a minute.
    await clock.advance(200_000);
    const big = (await pods()).filter(({ metadata }) => metadata?.name?.includes('big') === true);
    for (const { metadata } of big) {
      const ref = { name: metadata?.name ?? '', namespace: 'ml' };
      const body = { status: { phase: 'Running' } };
      await client.patch(resources.pods, ref, { type: 'merge', body }, { subresource: 'status' });
      await clock.advance(100);
    }
    await clock.advance(1500);
    expect((await cluster()).status?.availableWorkerReplicas).toBe(3);
  });
});

describe('a RayCluster of another operator', () => {
  /** A pod as KubeRay leaves it: a random name, its own version and hash. */
  async function theirPod(name: string, uid: string, labels: Record<string, string>): Promise<void> {
    const ownerReferences = [{ apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'demo', uid, controller: true }];
    const annotations = { 'ray.io/kuberay-version': 'v1.4.2', 'ray.io/upgrade-strategy-recreate-hash': 'ABC123' };
    const metadata = { name, namespace: 'ml', ownerReferences, annotations };
    await client.create<KubeObject>(resources.pods, {
      metadata: { ...metadata, labels: { 'ray.io/cluster': 'demo', ...labels } },
    });
  }

  it.each<[string, Partial<RayClusterSpec>, number]>([
    ['with plain workers', {}, 2],
    [
      'with hosts that were never numbered',
      { workerGroupSpecs: [workerGroup('small', { replicas: 2, numOfHosts: 2 })] },
      4,
    ],
    ['that asks for Recreate', { upgradeStrategy: { type: 'Recreate' } }, 2],
  ])('%s is taken over without touching a pod', async (_, spec, workers) => {
    stop.abort();
    const { metadata } = await apply(spec);
    const uid = metadata?.uid ?? '';
    await theirPod('demo-head-x7k2p', uid, { 'ray.io/node-type': 'head', 'ray.io/group': 'headgroup' });
    const labels = { 'ray.io/node-type': 'worker', 'ray.io/group': 'small' };
    for (let index = 0; index < workers; index += 1) await theirPod(`demo-small-worker-${index}`, uid, labels);
    const before = await podNames();
    await start();
    await runPods();
    await clock.advance(IDLE_MS);
    expect(await podNames()).toEqual(before);
    expect((await cluster()).status?.state).toBe('ready');
  });
});
