import type { KubeObject } from '@manta/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isForbidden, isGone } from '../api-error.ts';
import type { WatchEvent } from '../client/client.ts';
import * as resources from '../resources.ts';
import { answer, type FaultyApi, startFaultyApi } from '../testing/index.ts';
import { encodeEnvelope, encodeEvent, encodeMessage } from '../testing/wire-encoder.ts';
import { STATUS } from './envelope.ts';
import { METADATA, shapeOf } from './shape.ts';

const PROTOBUF = { 'content-type': 'application/vnd.kubernetes.protobuf;stream=watch' };
const SHAPE = shapeOf({ 1: METADATA });

async function start(): Promise<FaultyApi> {
  const api = await startFaultyApi();
  onTestFinished(() => api.close());
  return api;
}

async function collect({ client }: FaultyApi): Promise<WatchEvent<KubeObject>[]> {
  const events: WatchEvent<KubeObject>[] = [];
  for await (const event of client.watch<KubeObject>(resources.pods, { shape: SHAPE })) events.push(event);
  return events;
}

const pod = (metadata: object) => encodeMessage({ metadata }, SHAPE);
const refusal = (code: number, reason: string, message: string) =>
  encodeMessage({ status: 'Failure', code, reason, message, details: { name: 'a', retryAfterSeconds: 3 } }, STATUS);

describe('a watch of which only a part of each object is wanted', () => {
  test('asks for protobuf, and reads it', async () => {
    const api = await start();
    const end = { 'k8s.io/initial-events-end': 'true' };
    api.server.script((exchange) => {
      exchange.begin(200, PROTOBUF);
      exchange.write(encodeEvent('ADDED', 'Pod', pod({ name: 'ü', labels: { a: 'b' } })));
      exchange.write(encodeEvent('BOOKMARK', 'Pod', pod({ resourceVersion: '9', annotations: end })));
      exchange.end(encodeEvent('NEWS', 'Pod', pod({})));
    });
    expect(await collect(api)).toEqual([
      { type: 'ADDED', object: { metadata: { name: 'ü', labels: { a: 'b' } } } },
      { type: 'BOOKMARK', resourceVersion: '9', isInitialEventsEnd: true },
    ]);
    expect(api.server.requests[0]?.headers['accept']).toBe('application/vnd.kubernetes.protobuf,application/json');
  });

  test('takes JSON from a server that has nothing else', async () => {
    const api = await start();
    const object = { metadata: { name: 'a' }, spec: { whole: true } };
    api.server.script(answer(200, { type: 'ADDED', object }));
    expect(await collect(api)).toEqual([{ type: 'ADDED', object }]);
  });

  test('throws the ApiError that an ERROR event stands for', async () => {
    const api = await start();
    api.server.script((exchange) => {
      exchange.begin(200, PROTOBUF);
      exchange.end(encodeEvent('ERROR', 'Status', refusal(410, 'Expired', 'too old resource version')));
    });
    const error = await collect(api).catch((reason: unknown) => reason);
    expect(error).toSatisfy(isGone);
    expect(error).toMatchObject({ reason: 'Expired', message: 'too old resource version', retryAfterMs: 3000 });
  });

  test('understands a refusal', async () => {
    const api = await start();
    api.server.script((exchange) => {
      exchange.begin(403, { 'content-type': 'application/vnd.kubernetes.protobuf' });
      exchange.end(encodeEnvelope('Status', refusal(403, 'Forbidden', 'you may not watch pods')));
    });
    const error = await collect(api).catch((reason: unknown) => reason);
    expect(error).toSatisfy(isForbidden);
    expect(error).toMatchObject({ reason: 'Forbidden', message: 'you may not watch pods' });
  });

  test.each<[string, Buffer]>([
    ['is cut in the middle of a frame', encodeEvent('ADDED', 'Pod', pod({ name: 'a' })).subarray(0, 20)],
    ['is nothing of the kind', Buffer.from('\0\0\0\u0004oops')],
  ])('tells of an event that %s', async (_, bytes) => {
    const api = await start();
    api.server.script((exchange) => {
      exchange.begin(200, PROTOBUF);
      exchange.end(bytes);
    });
    await expect(collect(api)).rejects.toThrow(
      /^The watch \/api\/v1\/pods\?watch=true sent an event that cannot be read/,
    );
  });
});

describe('a write of whose answer only a part is wanted', () => {
  test('is sent as JSON, and answered in protobuf', async () => {
    const { server, client } = await start();
    server.script((exchange) => {
      exchange.begin(201, { 'content-type': 'application/vnd.kubernetes.protobuf' });
      exchange.end(encodeEnvelope('Pod', pod({ name: 'a', uid: 'u', resourceVersion: '7' })));
    });
    const written = await client.create(resources.pods, { metadata: { name: 'a' } }, { shape: SHAPE });
    expect(written).toEqual({ metadata: { name: 'a', uid: 'u', resourceVersion: '7' } });
    expect(server.requests[0]?.headers).toMatchObject({
      accept: 'application/vnd.kubernetes.protobuf,application/json',
      'content-type': 'application/json',
    });
  });

  test('takes JSON for an answer, and refusals of either kind', async () => {
    const { server, client } = await start();
    server.script(answer(201, { kind: 'Pod', metadata: { name: 'a' } }), (exchange) => {
      exchange.begin(403, { 'content-type': 'application/vnd.kubernetes.protobuf' });
      exchange.end(encodeEnvelope('Status', refusal(403, 'Forbidden', 'exceeded quota')));
    });
    const create = () => client.create(resources.pods, { metadata: { name: 'a' } }, { shape: SHAPE });
    expect(await create()).toEqual({ kind: 'Pod', metadata: { name: 'a' } });
    await expect(create()).rejects.toMatchObject({ name: 'ApiError', reason: 'Forbidden', message: 'exceeded quota' });
  });

  test('that is answered with nonsense has got no answer', async () => {
    const { server, client } = await start();
    server.script((exchange) => {
      exchange.begin(201, { 'content-type': 'application/vnd.kubernetes.protobuf' });
      exchange.end('oops');
    });
    const created = client.create(resources.pods, { metadata: { name: 'a' } }, { shape: SHAPE });
    await expect(created).rejects.toMatchObject({ name: 'TransportError' });
  });
});
