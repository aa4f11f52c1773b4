import type { KubeObject } from '@manta/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiError, isConflict, isForbidden, isGone, isNotFound } from '../api-error.ts';
import type { KubeClientOptions } from './kube-client.ts';
import type { ResourceType } from '../resource-type.ts';
import { answer, failureStatus, type FaultyApi, ManualClock, startFaultyApi, truncatedBody } from '../testing/index.ts';

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

describe('errors', () => {
  test('a Status becomes an ApiError with its parts', async () => {
    const { server, client } = await start();
    const details = {
      name: 'a',
      kind: 'widgets',
      causes: [{ reason: 'FieldValueInvalid', message: 'no', field: 'spec' }],
    };
    server.script(answer(422, failureStatus(422, 'Invalid', 'Widget "a" is invalid: spec: no', details)));
    const error = await client.create(widgets, widget('a')).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'Widget "a" is invalid: spec: no',
      causes: [{ field: 'spec', message: 'no' }],
      call: { method: 'POST', path: '/apis/test.io/v1/namespaces/ns/widgets' },
    });
  });

  test.each<[number, object | string, string]>([
    [
      404,
      '404 page not found\n',
      'The API server does not know /apis/test.io/v1/namespaces/ns/widgets/a: the kind may not be installed, or not in this version',
    ],
    [
      401,
      failureStatus(401, 'Unauthorized', 'Unauthorized'),
      'The API server does not accept our credentials (GET /apis/test.io/v1/namespaces/ns/widgets/a): log in again, or check the token or certificate in the kubeconfig',
    ],
    [
      502,
      '<html>\n<h1>Bad\n gateway</h1>',
      'The API server answered 502 to GET /apis/test.io/v1/namespaces/ns/widgets/a: <html> <h1>Bad gateway</h1>',
    ],
    [500, '', 'The API server answered 500 to GET /apis/test.io/v1/namespaces/ns/widgets/a'],
    [409, failureStatus(409, 'Conflict', 'the object\nhas been modified'), 'the object has been modified'],
    [500, '{"kind":', 'The API server answered 500 to GET /apis/test.io/v1/namespaces/ns/widgets/a: {"kind":'],
  ])('%i reads well in one line', async (code, body, message) => {
    const { server, client } = await start();
    server.otherwise((exchange) => {
      exchange.begin(code);
      exchange.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await expect(client.get(widgets, here)).rejects.toMatchObject({ name: 'ApiError', code, message });
  });

  test('success with something else than JSON is no answer', async () => {
    const { server, client } = await start();
    server.script((exchange) => {
      exchange.begin(200, { 'content-type': 'text/html' });
      exchange.end('<html>log in</html>');
    });
    await expect(client.get(widgets, here)).rejects.toThrow(
      'The answer to GET /apis/test.io/v1/namespaces/ns/widgets/a is not JSON (text/html: <html>log in</html>): check that the address is that of an API server',
    );
  });

  test('helpers tell the causes apart', async () => {
    const { server, client } = await start();
    server.script(
      answer(404, failureStatus(404, 'NotFound', 'x')),
      answer(403, failureStatus(403, 'Forbidden', 'x')),
      answer(409, failureStatus(409, 'Conflict', 'x')),
      answer(410, failureStatus(410, 'Expired', 'x')),
    );
    for (const is of [isNotFound, isForbidden, isConflict, isGone]) {
      const error = await client.get(widgets, here).catch((reason: unknown) => reason);
      expect(is(error)).toBe(true);
    }
  });

  test('Retry-After that was not waited for is handed on', async () => {
    const { server, client } = await start();
    server.script(answer(429, failureStatus(429, 'TooManyRequests', 'slow down'), { 'retry-after': '61' }));
    await expect(client.get(widgets, here)).rejects.toMatchObject({ code: 429, retryAfterMs: 61_000 });
  });

  test('a read whose body breaks off is started over once, a write is not', async () => {
    const { server, client } = await start();
    server.script(
      truncatedBody('reset'),
      answer(200, { kind: 'Widget' }),
      truncatedBody('reset'),
      truncatedBody('reset'),
    );
    expect(await client.get(widgets, here)).toEqual({ kind: 'Widget' });
    await expect(client.get(widgets, here)).rejects.toThrow(/in the middle of its answer/);
    server.script(truncatedBody('reset'));
    await expect(client.patch(widgets, here, { type: 'merge', body: {} })).rejects.toThrow(/in the middle/);
    expect(server.requests).toHaveLength(5);
  });

  test('a call gives up at its timeout', async () => {
    const clock = new ManualClock();
    const { server, client } = await start({ clock });
    server.otherwise((exchange) => exchange.begin(200));
    const got = client.get(widgets, here);
    got.catch(() => undefined);
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    clock.advance(29_999);
    clock.advance(1);
    await expect(got).rejects.toThrow('within 30 s');
  });
});

test('warnings of the server are handed on with the request that they are about', async () => {
  const warnings: unknown[] = [];
  const { server, client } = await start({ onWarning: (warning) => warnings.push(warning) });
  const header = '299 - "unknown field \\"spec.x\\"", 299 - "b, deprecated", 110 - "stale"';
  server.script(answer(200, {}, { warning: header }));
  await client.getPath('/x');
  expect(warnings).toEqual([
    { text: 'unknown field "spec.x"', method: 'GET', path: '/x' },
    { text: 'b, deprecated', method: 'GET', path: '/x' },
  ]);
});
