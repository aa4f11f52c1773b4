import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleFixture, startConsoleFixture } from './console-fixture.ts';

let fixture: ConsoleFixture;
beforeAll(async () => {
  fixture = await startConsoleFixture();
});
afterAll(() => fixture.close());

const CLUSTERS = '/apis/ray.io/v1/namespaces/default/rayclusters';
const container = (name: string) => ({ name, image: 'x' });
const cluster = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  apiVersion: 'ray.io/v1',
  kind: 'RayCluster',
  metadata: { name },
  spec: {
    headGroupSpec: { ...more, template: { spec: { containers: [container('ray-head'), container('sidecar')] } } },
  },
});
const send = (method: string, path: string, body?: unknown, type = 'application/json', token = 'ada') =>
  fixture.request(path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': type, 'x-manta-console': '' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

describe('REST of KubeRay API server v2', () => {
  it('creates, lists with a selector and a limit, patches, replaces and deletes', async () => {
    expect((await send('POST', CLUSTERS, cluster('one'))).status).toBe(201);
    const patch = { metadata: { labels: { team: 'a' } } };
    expect((await send('PATCH', `${CLUSTERS}/one`, patch, 'application/merge-patch+json')).status).toBe(200);
    const list = (await (await send('GET', `${CLUSTERS}?labelSelector=team%3Da&limit=5`)).json()) as {
      items: { metadata: { name: string } }[];
    };
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['one']);
    const found = (await (await send('GET', `${CLUSTERS}/one`)).json()) as object;
    expect((await send('PUT', `${CLUSTERS}/one`, found)).status).toBe(200);
    expect((await send('DELETE', `${CLUSTERS}/one`)).status).toBe(200);
    expect(fixture.log()).toMatch(/Write.*"user":"ada","method":"DELETE"/);
  });

  it('streams a watch as it happens', async () => {
    const stop = new AbortController();
    const answer = await fixture.request(`${CLUSTERS}?watch=true`, {
      headers: { authorization: 'Bearer ada' },
      signal: stop.signal,
    });
    const reader = (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    await send('POST', CLUSTERS, cluster('watched'));
    expect((await reader.read()).value).toMatch(/"type":"ADDED".*"name":"watched"/);
    stop.abort();
    await reader.cancel().catch(() => undefined);
  });

  it('keeps the watch of a real client whatever callers with invented tokens ask for', async () => {
    const stop = new AbortController();
    const answer = await fixture.request(`${CLUSTERS}?watch=true`, {
      headers: { authorization: 'Bearer ada' },
      signal: stop.signal,
    });
    for (let at = 0; at < 150; at += 1)
      expect((await send('GET', '/apis/nothing', undefined, 'application/json', `invented-${at}`)).status).toBe(404);
    await send('POST', CLUSTERS, cluster('still-watched'));
    let text = '';
    for await (const part of (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.includes('"name":"still-watched"')) break;
    }
    expect(text).toContain('"name":"still-watched"');
    stop.abort();
  });

  it('has the schema of the Ray kinds as OpenAPI', async () => {
    const index = (await (await send('GET', '/openapi/v3')).json()) as { paths: Record<string, unknown> };
    expect(Object.keys(index.paths)).toContain('apis/ray.io/v1');
    const schema = await (await send('GET', '/openapi/v3/apis/ray.io/v1')).text();
    expect(schema).toContain('rayclusters');
  });

  it("answers with the caller's rights", async () => {
    expect((await send('GET', CLUSTERS, undefined, 'application/json', 'vera')).status).toBe(403);
    expect((await send('GET', CLUSTERS, undefined, 'application/json', 'unknown')).status).toBe(401);
  });

  it('proxies to no Service but those of Ray clusters: SSRF', async () => {
    const proxy = (service: string) => send('GET', `/api/v1/namespaces/default/services/${service}/proxy/`);
    expect((await proxy('kubernetes:443')).status).toBe(404);
    expect((await proxy('https:kubernetes:443')).status).toBe(404);
    expect((await proxy('169.254.169.254:80')).status).toBe(400);
    expect((await proxy('a:b:c:d')).status).toBe(400);
    const path = '/api/v1/namespaces/default/services/head:8265/proxy/';
    const denied = await send('GET', path, undefined, 'application/json', 'vera');
    expect([denied.status, await denied.text()]).toEqual([403, expect.stringContaining('cannot list resource')]);
  });

  it('has neither the v1 API nor other paths', async () => {
    expect((await send('GET', '/apis/v1/namespaces/default/clusters')).status).toBe(404);
    expect((await send('GET', '/apis/apps/v1/deployments')).status).toBe(404);
  });
});

describe('compute templates', () => {
  const createTemplate = (data: Readonly<Record<string, string>>) =>
    fixture.engine.client.create(resources.configMaps, { metadata: { name: 'big', namespace: 'default' }, data });

  it('fill in resources of the groups that name them', async () => {
    await createTemplate({
      cpu: '4',
      memory: '8',
      gpu: '1',
      gpu_accelerator: 'amd.com/gpu',
      tolerations: '[{"key":"gpu","operator":"Exists"}]',
    });
    expect((await send('POST', CLUSTERS, cluster('templated', { computeTemplate: 'big' }))).status).toBe(201);
    const { client } = fixture.engine;
    const { spec } = await client.get(resources.rayClusters, { namespace: 'default', name: 'templated' });
    const amounts = { cpu: '4', memory: '8Gi' };
    const withGpu = { ...amounts, 'amd.com/gpu': '1' };
    expect(spec?.headGroupSpec.template).toMatchObject({
      metadata: { annotations: { 'ray.io/compute-template': 'big' } },
      spec: {
        containers: [
          { name: 'ray-head', resources: { limits: withGpu, requests: withGpu } },
          { name: 'sidecar', resources: { limits: amounts, requests: amounts } },
        ],
        tolerations: [{ key: 'gpu', operator: 'Exists' }],
      },
    });
  });

  it('that do not exist are a 422, and bodies that cannot be read a 400', async () => {
    const missing = await send('POST', CLUSTERS, cluster('x', { computeTemplate: 'none' }));
    expect([missing.status, await missing.text()]).toEqual([
      422,
      expect.stringContaining('compute template default/none does not exist'),
    ]);
    expect((await send('POST', CLUSTERS, 'a: [', 'application/yaml')).status).toBe(400);
    expect((await send('POST', CLUSTERS, 'a', 'text/plain')).status).toBe(400);
  });

  it('parse no long YAML: it would block everybody, and who sends it is not known yet', async () => {
    const body = `spec:\n${Array.from({ length: 200_000 }, (_, at) => `  k${at}: v`).join('\n')}\n`;
    const started = performance.now();
    expect((await send('POST', CLUSTERS, body, 'application/yaml', 'invented')).status).toBe(413);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
