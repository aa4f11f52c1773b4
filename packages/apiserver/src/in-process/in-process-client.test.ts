import { crds } from '@manta/api/crds';
import { ApiError, type KubeClient, type ResourceType, type WatchEvent } from '@manta/kube';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../kube/src/testing/manual-clock.ts';
import { createStore } from '../store/store.ts';
import { type Api, createApi } from '../api.ts';
import { createInProcessClient } from './in-process-client.ts';

interface Thing {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Record<string, never> & { name?: string };
  readonly [key: string]: unknown;
}

const type = (group: string, version: string, plural: string, kind: string, isNamespaced = true) =>
  ({ group, version, plural, kind, isNamespaced }) as ResourceType<never>;
const configMaps = type('', 'v1', 'configmaps', 'ConfigMap');
const pods = type('', 'v1', 'pods', 'Pod');
const namespaces = type('', 'v1', 'namespaces', 'Namespace', false);
const definitions = type('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', false);
const rayClusters = type('ray.io', 'v1', 'rayclusters', 'RayCluster');

let api: Api;
let client: KubeClient;
let clock: ManualClock;

const make = (name: string, more: object = {}) => ({ metadata: { name, namespace: 'default' }, ...more }) as never;
const seen = (object: unknown) => object as Thing & { metadata: Record<string, string> };

beforeEach(async () => {
  clock = new ManualClock();
  let uids = 0;
  api = createApi({
    store: createStore(),
    world: { clock, newUid: () => `uid-${++uids}`, random: () => 0.5 },
  });
  client = createInProcessClient(api, {
    userAgent: 'tester/1.0',
    toError: (call, status) => new ApiError(call, status.code ?? 500, status.message ?? '', status),
  });
  await client.create(namespaces, { metadata: { name: 'default' } } as never);
});

const refusal = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
};

describe('objects', () => {
  it('are created with what the server adds, read back, listed and deleted', async () => {
    const created = seen(await client.create(configMaps, make('a', { data: { x: '1' } })));
    expect(created.metadata).toMatchObject({ name: 'a', namespace: 'default', creationTimestamp: expect.any(String) });
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(await client.get(configMaps, { name: 'a', namespace: 'default' })).toEqual(created);
    expect((await client.list(configMaps)).items).toEqual([created]);
    const status = await client.delete(configMaps, { name: 'a', namespace: 'default' });
    expect(status).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps' } });
    const error = await refusal(client.get(configMaps, { name: 'a', namespace: 'default' }));
    expect(error).toMatchObject({ code: 404, message: 'configmaps "a" not found' });
  });

  it('may not be created twice, nor in a namespace that is not there', async () => {
    await client.create(configMaps, make('a'));
    expect(await refusal(client.create(configMaps, make('a')))).toMatchObject({ code: 409, reason: 'AlreadyExists' });
    const lost = { metadata: { name: 'a', namespace: 'nowhere' } } as never;
    expect(await refusal(client.create(configMaps, lost))).toMatchObject({
      code: 404,
      message: 'namespaces "nowhere" not found',
    });
  });

  it('get a name from generateName', async () => {
    const created = seen(
      await client.create(configMaps, { metadata: { generateName: 'a-', namespace: 'default' } } as never),
    );
    expect(created.metadata['name']).toMatch(/^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('are updated only from the version that was read', async () => {
    const first = seen(await client.create(configMaps, make('a', { data: { x: '1' } })));
    await client.update(configMaps, { ...first, data: { x: '2' } } as never);
    const stale = await refusal(client.update(configMaps, { ...first, data: { x: '3' } } as never));
    expect(stale).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(stale.message).toContain('the object has been modified');
  });

  it('are left alone by a dry run', async () => {
    await client.create(configMaps, make('a'), { dryRun: true });
    expect((await client.list(configMaps)).items).toEqual([]);
  });

  it('with finalizers stay until the last one is gone', async () => {
    const object = { metadata: { name: 'a', namespace: 'default', finalizers: ['x.io/y'] } } as never;
    await client.create(configMaps, object);
    const marked = seen(await client.delete(configMaps, { name: 'a', namespace: 'default' }));
    expect(marked.metadata['deletionTimestamp']).toBeDefined();
    const patch = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
    await client.patch(configMaps, { name: 'a', namespace: 'default' }, patch);
    expect((await client.list(configMaps)).items).toEqual([]);
  });
});

describe('lists', () => {
  it('come in pages that show one state', async () => {
    for (const name of ['a', 'b', 'c']) await client.create(configMaps, make(name));
    const first = await client.list(configMaps, { limit: 2 });
    expect(first.metadata.remainingItemCount).toBe(1);
    await client.create(configMaps, make('d'));
    const second = await client.list(configMaps, { limit: 2, continue: first.metadata.continue });
    expect([...first.items, ...second.items].map((item) => seen(item).metadata['name'])).toEqual(['a', 'b', 'c']);
  });

  it('honour label and field selectors', async () => {
    const labelled = { metadata: { name: 'a', namespace: 'default', labels: { app: 'x' } } } as never;
    await client.create(configMaps, labelled);
    await client.create(configMaps, make('b'));
    const names = async (options: object) =>
      (await client.list(configMaps, options)).items.map((item) => seen(item).metadata['name']);
    expect(await names({ labelSelector: 'app in (x,y)' })).toEqual(['a']);
    expect(await names({ labelSelector: '!app' })).toEqual(['b']);
    expect(await names({ fieldSelector: 'metadata.name!=a' })).toEqual(['b']);
    expect(await refusal(client.list(configMaps, { fieldSelector: 'data.x=1' }))).toMatchObject({ code: 400 });
  });
});

describe('watches', () => {
  it('show what is there, then what changes, and end when the server says so', async () => {
    await client.create(configMaps, make('a'));
    const events: WatchEvent<never>[] = [];
    const done = (async () => {
      const options = { sendInitialEvents: true, allowBookmarks: true, timeoutSeconds: 10 };
      for await (const event of client.watch(configMaps, options)) events.push(event);
    })();
    await Promise.resolve();
    await client.create(configMaps, make('b'));
    await client.delete(configMaps, { name: 'a', namespace: 'default' });
    clock.advance(10_000);
    await done;
    expect(events.map((event) => event.type)).toEqual(['ADDED', 'BOOKMARK', 'ADDED', 'DELETED', 'BOOKMARK']);
  });

  it('from a forgotten version fail with 410', async () => {
    await client.create(configMaps, make('a'));
    await client.create(configMaps, make('b'));
    api.store.compact(api.store.revision);
    const iterate = async () => {
      for await (const _ of client.watch(configMaps, { resourceVersion: '1' })) break;
    };
    expect(await refusal(iterate())).toMatchObject({ code: 410, reason: 'Expired' });
  });
});

describe('pods', () => {
  it('on a node get their grace period, and go when the kubelet deletes them', async () => {
    const spec = { nodeName: 'n', terminationGracePeriodSeconds: 30, containers: [{ name: 'c', image: 'i' }] };
    await client.create(pods, make('p', { spec }));
    const marked = seen(await client.delete(pods, { name: 'p', namespace: 'default' }));
    expect(marked.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
    await client.delete(pods, { name: 'p', namespace: 'default' }, { gracePeriodSeconds: 0 });
    expect((await client.list(pods)).items).toEqual([]);
  });
});

describe('custom resources', () => {
  it('are served as soon as their definition is created, and no longer when it is gone', async () => {
    const definition = crds().find(({ spec }) => spec.names.plural === 'rayclusters');
    await client.create(definitions, definition as never);
    const spec = { headGroupSpec: { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } } };
    const created = seen(await client.create(rayClusters, make('r', { spec })));
    expect(created).toMatchObject({ apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { generation: 1 } });
    const status = { status: { state: 'ready' } };
    const patched = await client.patch(
      rayClusters,
      { name: 'r', namespace: 'default' },
      { type: 'merge', body: status },
      { subresource: 'status' },
    );
    expect(patched).toMatchObject({ ...status, metadata: { generation: 1 } });
    await client.delete(definitions, { name: 'rayclusters.ray.io' });
    expect(await refusal(client.list(rayClusters))).toMatchObject({ code: 404 });
  });
});
