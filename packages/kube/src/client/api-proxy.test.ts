import { describe, expect, onTestFinished, test } from 'vitest';
import { type ProxyTarget, proxyPath, sendThroughApiServer } from './api-proxy.ts';
import { startFaultyApi } from '../testing/index.ts';

const service: ProxyTarget = { kind: 'services', namespace: 'ns', name: 'head-svc', port: 8265 };

describe('proxy paths', () => {
  test.each<[string, ProxyTarget, string, string]>([
    ['a service by port number', service, '/api/jobs/', '/api/v1/namespaces/ns/services/head-svc:8265/proxy/api/jobs/'],
    [
      'a service by port name',
      { ...service, port: 'serve' },
      '/-/healthz',
      '/api/v1/namespaces/ns/services/head-svc:serve/proxy/-/healthz',
    ],
    [
      'a pod',
      { ...service, kind: 'pods', name: 'p', port: 8000 },
      '/?a=b',
      '/api/v1/namespaces/ns/pods/p:8000/proxy/?a=b',
    ],
    ['over https', { ...service, scheme: 'https' }, '/', '/api/v1/namespaces/ns/services/https:head-svc:8265/proxy/'],
  ])('%s', (_, target, path, expected) => {
    expect(proxyPath(target, path)).toBe(expected);
  });
});

test('method, headers and body go through; the answer comes back whole, whatever its status', async () => {
  const api = await startFaultyApi();
  onTestFinished(() => api.close());
  api.server.script((exchange) => {
    exchange.begin(418, { 'x-ray': 'yes' });
    exchange.write('tea');
    setTimeout(() => exchange.end('pot'), 10);
  });
  const response = await sendThroughApiServer(api.transport, service, {
    method: 'PUT',
    path: '/api/serve/applications/',
    headers: { 'x-ray-authorization': 'Bearer ray', Authorization: 'Bearer ray', 'content-type': 'application/json' },
    body: '{"applications":[]}',
    timeoutMs: 10_000,
  });
  expect([response.status, Buffer.from(response.body).toString(), response.headers['x-ray']]).toEqual([
    418,
    'teapot',
    'yes',
  ]);
  const [seen] = api.server.requests;
  expect(seen).toMatchObject({ method: 'PUT', body: '{"applications":[]}' });
  expect(seen?.headers['x-ray-authorization']).toBe('Bearer ray');
  expect(seen?.headers['authorization']).toBeUndefined();
});
