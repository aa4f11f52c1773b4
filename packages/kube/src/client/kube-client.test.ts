import type { KubeObject } from '@manta/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Content, KubeClient, Patch } from './client.ts';
import type { KubeClientOptions } from './kube-client.ts';
import type { ResourceType } from '../resource-type.ts';
import { nodes, pods } from '../resources.ts';
import {
  answer,
  dropBeforeAnswer,
  failureStatus,
  type FaultyApi,
  ManualClock,
  startFaultyApi,
} from '../testing/index.ts';

const widgets: ResourceType = {
  group: 'test.io',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  isNamespaced: true,
};
const here = { namespace: 'ns', name: 'a' };
const widget = (name: string): KubeObject => ({ metadata: { name, namespace: 'ns' } });

async function start(options: Partial<KubeClientOptions> = {}): Promise<FaultyApi> {
  const api = await startFaultyApi(options);
  onTestFinished(() => api.close());
  return api;
}

describe('requests', () => {
  const applied: Patch = { type: 'apply', body: { spec: {} }, fieldManager: 'me', force: true };
  test.each<[string, (client: KubeClient) => Promise<unknown>, string, string?]>([
    ['get', (client) => client.get(widgets, here), 'GET /apis/test.io/v1/namespaces/ns/widgets/a'],
    [
      'get of a subresource',
      (client) => client.get(widgets, here, { subresource: 'scale' }),
      'GET /apis/test.io/v1/namespaces/ns/widgets/a/scale',
    ],
    ['get of a cluster-scoped object', (client) => client.get(nodes, { name: 'n' }), 'GET /api/v1/nodes/n'],
    [
      'list with everything',
      (client) =>
        client.list(pods, {
          namespace: 'ns',
          labelSelector: 'a in (b,c)',
          fieldSelector: 'spec.nodeName=n',
          limit: 5,
          continue: 'tok/en=',
          resourceVersion: '0',
          resourceVersionMatch: 'NotOlderThan',
        }),
      'GET /api/v1/namespaces/ns/pods?labelSelector=a%20in%20(b%2Cc)&fieldSelector=spec.nodeName%3Dn&limit=5&continue=tok%2Fen%3D&resourceVersion=0&resourceVersionMatch=NotOlderThan',
    ],
    ['list across namespaces', (client) => client.list(pods), 'GET /api/v1/pods'],
    [
      'create fills in what the object is',
      (client) => client.create(widgets, widget('a'), { dryRun: true, fieldManager: 'me', fieldValidation: 'Strict' }),
      'POST /apis/test.io/v1/namespaces/ns/widgets?dryRun=All&fieldManager=me&fieldValidation=Strict',
      '{"apiVersion":"test.io/v1","kind":"Widget","metadata":{"name":"a","namespace":"ns"}}',
    ],
    [
      'create of a subresource sends the object as it is',
      (client) => client.create(pods, { metadata: { name: 'p', namespace: 'ns' } }, { subresource: 'eviction' }),
      'POST /api/v1/namespaces/ns/pods/p/eviction',
      '{"metadata":{"name":"p","namespace":"ns"}}',
    ],
    [
      'update of the status',
      (client) =>
        client.update(widgets, { ...widget('a'), kind: 'Widget', apiVersion: 'test.io/v1' }, { subresource: 'status' }),
      'PUT /apis/test.io/v1/namespaces/ns/widgets/a/status',
      '{"metadata":{"name":"a","namespace":"ns"},"kind":"Widget","apiVersion":"test.io/v1"}',
    ],
    [
      'apply',
      (client) => client.patch(widgets, here, applied),
      'PATCH /apis/test.io/v1/namespaces/ns/widgets/a?fieldManager=me&force=true',
      '{"apiVersion":"test.io/v1","kind":"Widget","spec":{}}',
    ],
    [
      'merge patch of the status',
      (client) => client.patch(widgets, here, { type: 'merge', body: { status: null } }, { subresource: 'status' }),
      'PATCH /apis/test.io/v1/namespaces/ns/widgets/a/status',
      '{"status":null}',
    ],
    ['delete', (client) => client.delete(widgets, here), 'DELETE /apis/test.io/v1/namespaces/ns/widgets/a', ''],
    [
      'delete with options',
      (client) =>
        client.delete(widgets, here, {
          propagation: 'Foreground',
          gracePeriodSeconds: 0,
          preconditions: { uid: 'u' },
          dryRun: true,
        }),
      'DELETE /apis/test.io/v1/namespaces/ns/widgets/a',
      '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground","gracePeriodSeconds":0,"preconditions":{"uid":"u"},"dryRun":["All"]}',
    ],
    [
      'delete of a collection',
      (client) =>
        client.deleteCollection(widgets, { namespace: 'ns', labelSelector: 'a=b' }, { propagation: 'Background' }),
      'DELETE /apis/test.io/v1/namespaces/ns/widgets?labelSelector=a%3Db',
      '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}',
    ],
    ['post', (client) => client.post('/apis/x', { a: 1 }), 'POST /apis/x', '{"a":1}'],
    ['getPath', (client) => client.getPath('/version'), 'GET /version'],
  ])('%s', async (_, call, line, body) => {
    const { server, client } = await start();
    await call(client);
    const [seen] = server.requests;
    expect(`${seen?.method} ${seen?.path}`).toBe(line);
    expect(seen?.body).toBe(body ?? '');
  });

  test.each([
    ['merge', 'application/merge-patch+json'],
    ['strategic', 'application/strategic-merge-patch+json'],
    ['json', 'application/json-patch+json'],
    ['apply', 'application/apply-patch+yaml'],
  ] as const)('a %s patch is sent as %s', async (type, contentType) => {
    const { server, client } = await start();
    await client.patch(widgets, here, { type, body: [], fieldManager: 'me' });
    expect(server.requests[0]?.headers['content-type']).toBe(contentType);
  });

  test('content "metadata" asks for the metadata only', async () => {
    const { server, client } = await start();
    await client.get(pods, here, { content: 'metadata' });
    await client.list(pods, { content: 'metadata' });
    expect(server.requests.map((seen) => String(seen.headers['accept']).split(',')[0])).toEqual([
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    ]);
  });

  test('managedFields are left out where they are not wanted, and of what writes answer with', async () => {
    const { server, client } = await start();
    const managedFields = [{ manager: 'me', fieldsV1: { 'f:spec': {} } }];
    const stored = { metadata: { name: 'a', managedFields }, spec: {} };
    const bare = { metadata: { name: 'a' }, spec: {} };
    const read = async (content?: Content) => {
      server.script(answer(200, { metadata: {}, items: [stored, stored] }));
      return await Array.fromAsync(client.listStream(widgets, { content }));
    };
    expect(await read()).toEqual([stored, stored]);
    expect(await read('full')).toEqual([stored, stored]);
    expect(await read('unmanaged')).toEqual([bare, bare]);
    server.script(answer(200, stored), answer(200, stored));
    expect(await client.get(widgets, here)).toEqual(stored);
    expect(await client.patch(widgets, here, { type: 'merge', body: {} })).toEqual(bare);
  });

  test('an object without a name, or without its namespace, is never asked for', async () => {
    const { server, client } = await start();
    await expect(client.delete(widgets, { name: '', namespace: 'ns' })).rejects.toThrow(
      'A Widget was asked for without a name',
    );
    await expect(client.get(widgets, { name: 'a' })).rejects.toThrow('Widget a was asked for without a namespace');
    expect(server.requests).toHaveLength(0);
  });
});

test('a rate limit counts each kind by itself, and the observer hears of the waits', async () => {
  const clock = new ManualClock();
  const waits: number[] = [];
  const observer = { rateLimited: (event: { delayMs: number }) => waits.push(event.delayMs) };
  const { client } = await start({ clock, rateLimit: { qps: 1, burst: 1 }, observer });
  await client.get(widgets, here);
  await client.get(nodes, { name: 'n' });
  const second = client.get(widgets, here);
  expect(waits).toEqual([0, 0, 1000]);
  clock.advance(1000);
  await second;
  const controller = new AbortController();
  const third = client.get(widgets, here, { signal: controller.signal });
  controller.abort(new Error('stop'));
  await expect(third).rejects.toThrow('stop');
});

test('requests beyond those that may be under way wait for an answer; what is urgent does not, nor what only streams', async () => {
  const clock = new ManualClock();
  const { server, client } = await start({ clock, underWay: { young: 1, youngMs: 1000 } });
  let answerFirst = () => {};
  server.script((exchange) => {
    answerFirst = () => exchange.json(200, widget('a'));
  });
  const first = client.get(widgets, here);
  await expect.poll(() => server.requests.length).toBe(1);
  const second = client.get(widgets, here);
  await client.get(widgets, here, { isUrgent: true });
  for await (const _ of client.listStream(widgets)) expect.unreachable();
  expect(server.requests).toHaveLength(3);
  answerFirst();
  await Promise.all([first, second]);
  expect(server.requests).toHaveLength(4);
});

test('a kind that is out of tokens keeps no place among the requests under way from other kinds', async () => {
  const clock = new ManualClock();
  const { server, client } = await start({
    clock,
    rateLimit: { qps: 1, burst: 1 },
    underWay: { young: 1, youngMs: 1000 },
  });
  await client.get(widgets, here);
  const waiting = client.get(widgets, here);
  await client.get(nodes, { name: 'n' });
  expect(server.requests).toHaveLength(2);
  clock.advance(1000);
  await waiting;
});

describe('lists', () => {
  test('a list without items is empty', async () => {
    const { server, client } = await start();
    server.script(answer(200, { metadata: { resourceVersion: '7' }, items: null }));
    expect(await client.list(widgets)).toEqual({ metadata: { resourceVersion: '7' }, items: [] });
  });

  test('a streamed list hands out its items before it has ended', async () => {
    const { server, client } = await start();
    let isEnded = false;
    server.script((exchange) => {
      exchange.begin(200);
      exchange.write('{"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"a"}},{"meta');
      setTimeout(() => {
        isEnded = true;
        exchange.end('data":{"name":"b"}}]}');
      }, 50);
    });
    const stream = client.listStream(widgets);
    const seen: unknown[] = [];
    for await (const item of stream) seen.push([item.metadata?.name, isEnded ? 'after its end' : 'before its end']);
    expect(seen).toEqual([
      ['a', 'before its end'],
      ['b', 'after its end'],
    ]);
    expect(await stream.metadata).toEqual({ resourceVersion: '5' });
  });

  test('a streamed list that breaks off throws, and its metadata rejects', async () => {
    const { server, client } = await start();
    server.script((exchange) => {
      exchange.begin(200);
      exchange.write('{"items":[{"metadata":{"name":"a"}},');
      setTimeout(() => exchange.cut(), 20);
    });
    const stream = client.listStream(widgets);
    const names: unknown[] = [];
    const reading = (async () => {
      for await (const item of stream) names.push(item.metadata?.name);
    })();
    await expect(reading).rejects.toThrow(/in the middle of its answer/);
    await expect(stream.metadata).rejects.toThrow(/in the middle of its answer/);
    expect(names).toEqual(['a']);
  });

  test('a streamed list that is refused throws the ApiError', async () => {
    const { server, client } = await start();
    server.script(answer(403, failureStatus(403, 'Forbidden', 'widgets is forbidden')));
    const stream = client.listStream(widgets);
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 403 });
  });

  test('something else than a list is called that', async () => {
    const { server, client } = await start();
    server.script(
      (exchange) => exchange.json(200, 'hello'),
      (exchange) => {
        exchange.begin(200);
        exchange.end('<html>');
      },
    );
    await client.listStream(widgets)[Symbol.asyncIterator]().next();
    await expect(client.listStream(widgets)[Symbol.asyncIterator]().next()).rejects.toThrow(
      /^The answer to GET \/apis\/test.io\/v1\/widgets is not a list/,
    );
  });
});

test('a dropped connection costs a read nothing but a second try', async () => {
  const { server, client } = await start();
  server.script(dropBeforeAnswer, answer(200, { kind: 'Widget' }));
  expect(await client.get(widgets, here)).toEqual({ kind: 'Widget' });
});
