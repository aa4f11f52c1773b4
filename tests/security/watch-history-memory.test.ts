import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer, statusOf } from './support/api-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const MIB = 1024 * 1024;

let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer();
});

afterAll(() => server.stop());

/** Far more than the history keeps: without a bound it would hold all of it. */
const PATCHES = 300;
/** The history's 64 MiB, and as much again for what the runtime has not given back. */
const MOST_MIB = 200;

/** Bytes that cannot be collected: buffers and sockets are given up in later turns, so several collections are made in several turns. */
async function retained(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 10; turn++) {
    await pause(50);
    if (typeof collect === 'function') collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    least = Math.min(least, heapUsed + arrayBuffers);
  }
  return least;
}

describe('watch history', () => {
  it('is bounded by bytes when one large object is patched again and again', async () => {
    const created = await server.admin('POST', configMaps, { metadata: { name: 'large' }, data: { a: '' } });
    const first = (created.body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    const before = await retained();
    for (let i = 0; i < PATCHES; i++) {
      const body = { data: { a: `${i}-`.padEnd(MIB - 1024, 'x') } };
      const answer = await server.admin('PATCH', `${configMaps}/large`, body, {
        'content-type': 'application/merge-patch+json',
      });
      expect(answer.status).toBe(200);
    }
    expect(((await retained()) - before) / MIB).toBeLessThan(MOST_MIB);
    const late = await server.admin('GET', `${configMaps}?watch=1&resourceVersion=${first}&timeoutSeconds=1`);
    expect(late.text).toContain('"code":410');
  });
});

describe('object over 1.5 MiB', () => {
  const widgets = '/apis/example.com/v1/namespaces/default/widgets';
  const widget = (name: string, bytes: number) => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name },
    spec: { a: 'x'.repeat(bytes) },
  });

  beforeAll(async () => {
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await server.admin('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
  });

  it('is refused like etcd refuses it, with its size and the limit', async () => {
    const answer = await server.admin('POST', widgets, widget('large', 1_600_000));
    expect(answer.status).toBe(500);
    expect(statusOf(answer).message).toMatch(
      /^etcdserver: request is too large: the object has 1600\d{3} bytes as JSON, the limit is 1572864$/,
    );
    expect((await server.admin('GET', `${widgets}/large`)).status).toBe(404);
  });

  it('is refused when a patch makes an object so large, and the stored object stays as it was', async () => {
    expect((await server.admin('POST', widgets, widget('grows', 1_000_000))).status).toBe(201);
    const patch = { spec: { b: 'x'.repeat(1_000_000) } };
    const type = { 'content-type': 'application/merge-patch+json' };
    expect((await server.admin('PATCH', `${widgets}/grows`, patch, type)).status).toBe(500);
    const { body } = await server.admin('GET', `${widgets}/grows`);
    expect(Object.keys((body as { spec: object }).spec)).toEqual(['a']);
  });
});
