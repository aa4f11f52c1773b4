import type { KubeObject } from '@manta/api';
import { expect, onTestFinished, test } from 'vitest';
import { isGone } from '../api-error.ts';
import type { KubeClient, WatchEvent } from './client.ts';
import type { ResourceType } from '../resource-type.ts';
import { answer, eventually, failureStatus, type FaultStep, type FaultyApi, startFaultyApi } from '../testing/index.ts';

const widgets: ResourceType = {
  group: 'test.io',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  isNamespaced: true,
};
const widget = (name: string): KubeObject => ({ metadata: { name, namespace: 'ns' } });

async function start(): Promise<FaultyApi> {
  const api = await startFaultyApi();
  onTestFinished(() => api.close());
  return api;
}

const line = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;
const collect = async (client: KubeClient, options = {}): Promise<WatchEvent<KubeObject>[]> => {
  const events: WatchEvent<KubeObject>[] = [];
  for await (const event of client.watch(widgets, options)) events.push(event);
  return events;
};

test('events and bookmarks come out decoded, and a normal end ends the iteration', async () => {
  const { server, client } = await start();
  server.script((exchange) => {
    exchange.begin(200);
    exchange.write(line('ADDED', widget('ü')));
    exchange.write(
      line('BOOKMARK', { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } }),
    );
    exchange.write(line('NEWS', {}));
    exchange.end(line('DELETED', widget('ü')) + line('BOOKMARK', { metadata: { resourceVersion: '10' } }));
  });
  expect(
    await collect(client, { namespace: 'ns', sendInitialEvents: true, resourceVersion: '', timeoutSeconds: 300 }),
  ).toEqual([
    { type: 'ADDED', object: widget('ü') },
    { type: 'BOOKMARK', resourceVersion: '9', isInitialEventsEnd: true },
    { type: 'DELETED', object: widget('ü') },
    { type: 'BOOKMARK', resourceVersion: '10', isInitialEventsEnd: false },
  ]);
  expect(server.requests[0]?.path).toBe(
    '/apis/test.io/v1/namespaces/ns/widgets?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=300',
  );
});

test('managedFields come unless they are not wanted', async () => {
  const { server, client } = await start();
  const stored = { metadata: { name: 'a', managedFields: [{ manager: 'me', fieldsV1: {} }] }, spec: {} };
  const sent: FaultStep = (exchange) => {
    exchange.begin(200);
    exchange.end(line('ADDED', stored));
  };
  server.script(sent, sent);
  expect(await collect(client)).toEqual([{ type: 'ADDED', object: stored }]);
  const bare = { metadata: { name: 'a' }, spec: {} };
  expect(await collect(client, { content: 'unmanaged' })).toEqual([{ type: 'ADDED', object: bare }]);
});

test('an ERROR event is thrown as the ApiError that it stands for', async () => {
  const { server, client } = await start();
  server.script((exchange) => {
    exchange.begin(200);
    exchange.write(line('ADDED', widget('a')));
    exchange.end(line('ERROR', failureStatus(410, 'Expired', 'too old resource version: 1 (2)')));
  });
  const error = await collect(client).catch((reason: unknown) => reason);
  expect(isGone(error)).toBe(true);
  expect(error).toMatchObject({ reason: 'Expired', message: 'too old resource version: 1 (2)' });
});

test('410 at the start is an ApiError too', async () => {
  const { server, client } = await start();
  server.script(answer(410, failureStatus(410, 'Expired', 'too old')));
  expect(isGone(await collect(client).catch((reason: unknown) => reason))).toBe(true);
});

test('a watch that is cut throws; what came before was handed out', async () => {
  const { server, client } = await start();
  server.script((exchange) => {
    exchange.begin(200);
    exchange.write(line('ADDED', widget('a')) + '{"type":"ADD');
    setTimeout(() => exchange.cut(), 20);
  });
  const events: unknown[] = [];
  const reading = (async () => {
    for await (const event of client.watch(widgets, {})) events.push(event);
  })();
  await expect(reading).rejects.toMatchObject({ name: 'TransportError' });
  expect(events).toHaveLength(1);
});

test('an event that is not JSON is an error with an excerpt', async () => {
  const { server, client } = await start();
  server.script((exchange) => {
    exchange.begin(200);
    exchange.end('oops\n');
  });
  await expect(collect(client)).rejects.toThrow(/sent an event that is not JSON: oops/);
});

test('leaving the loop, or aborting, ends the watch on the server', async () => {
  const { server, client } = await start();
  let closed = 0;
  server.otherwise((exchange) => {
    exchange.begin(200);
    exchange.write(line('ADDED', widget('a')));
    exchange.whenClosed(() => closed++);
  });
  for await (const event of client.watch(widgets, {})) {
    expect(event.type).toBe('ADDED');
    break;
  }
  const controller = new AbortController();
  const reading = (async () => {
    for await (const _ of client.watch(widgets, { signal: controller.signal })) controller.abort(new Error('bye'));
  })();
  await expect(reading).rejects.toThrow('bye');
  await eventually(() => closed === 2);
});
