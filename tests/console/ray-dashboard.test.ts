import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { DashboardLink, LogMessage } from '@manta/console';
import { resources } from '@manta/kube';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type ConsoleFixture, startConsoleFixture } from './console-fixture.ts';
import { createCluster, letSeeClusters, type ScriptedHead, startScriptedHead } from './scripted-head.ts';

let fixture: ConsoleFixture;
let blue: ScriptedHead;
let green: ScriptedHead;
let vera: string;
beforeAll(async () => {
  fixture = await startConsoleFixture();
  [blue, green] = [await startScriptedHead('blue'), await startScriptedHead('green')];
  await createCluster(fixture, 'blue', blue, 'secret-of-blue');
  await createCluster(fixture, 'green', green);
  await letSeeClusters(fixture.engine.client, 'vera');
  vera = await fixture.logIn('vera');
});
afterAll(async () => {
  await fixture.close();
  await Promise.all([blue.close(), green.close()]);
});
beforeEach(() => {
  blue.requests.length = 0;
  green.requests.length = 0;
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request to a dashboard's host, which resolves to this machine. */
async function ask(
  { host, port, cookie }: Opened,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const all = { host, cookie, ...length, ...headers };
  const request = httpRequest({ host: '127.0.0.1', port, path, method, headers: all });
  request.end(body);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
}

interface Opened {
  readonly host: string;
  readonly port: string;
  readonly cookie: string;
}

async function linkTo(path: string, cookie: string): Promise<URL> {
  const link = await fixture.request(`/api/ray-dashboard/${path}`, { cookie, method: 'POST' });
  expect([path, link.status]).toEqual([path, 200]);
  return new URL(((await link.json()) as DashboardLink).url);
}

/** Follows the console's link as a browser does. */
async function open(path: string, cookie: string): Promise<Opened> {
  const { host, port, pathname, search } = await linkTo(path, cookie);
  const answer = await ask({ host, port, cookie: '' }, pathname + search);
  expect([answer.status, answer.headers.location]).toEqual([303, '/']);
  const [set = ''] = answer.headers['set-cookie'] ?? [];
  expect(set).toMatch(/^__Host-manta-ray=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  return { host, port, cookie: set.split(';')[0] ?? '' };
}

describe('Ray dashboard', () => {
  it('opens on a host of its own and gets the token of its cluster', async () => {
    const opened = await open('rayclusters/default/blue', vera);
    expect(opened.host).toMatch(/^blue-[0-9a-f]{10}\.localhost:\d+$/);
    expect((await ask(opened, '/')).body).toBe('<title>blue</title>');
    expect(blue.requests[0]?.headers['x-ray-authorization']).toBe('Bearer secret-of-blue');
  });

  it('shows several clusters at once, each to its own cookie', async () => {
    const [one, two] = [await open('rayclusters/default/blue', vera), await open('rayclusters/default/green', vera)];
    expect([(await ask(one, '/')).body, (await ask(two, '/')).body]).toEqual([
      '<title>blue</title>',
      '<title>green</title>',
    ]);
    expect(green.requests[0]?.headers).not.toHaveProperty('x-ray-authorization');
    expect((await ask({ ...one, host: two.host }, '/')).status).toBe(401);
  });

  it('hides from Ray who asks, and from the browser what Ray sets', async () => {
    const opened = await open('rayclusters/default/green', vera);
    const headers = {
      origin: `http://${opened.host}`,
      referer: `http://${opened.host}/`,
      authorization: 'Bearer vera',
      'x-ray-authorization': 'Bearer forged',
      'x-forwarded-for': '1.2.3.4',
      'sec-fetch-site': 'same-origin',
    };
    const answer = await ask(opened, '/nodes?view=summary', { headers });
    expect(green.requests[0]?.url).toBe('/nodes?view=summary');
    expect(Object.keys(green.requests[0]?.headers ?? {}).toSorted()).toEqual(['connection', 'host', 'user-agent']);
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(answer.headers['x-frame-options']).toBe('DENY');
    expect((await ask(opened, '/timezone')).headers).not.toHaveProperty('location');
  });

  it('follows a RayService to its new cluster', async () => {
    const { client } = fixture.engine;
    await client.create(resources.rayServices, {
      apiVersion: 'ray.io/v1',
      kind: 'RayService',
      metadata: { name: 'shop', namespace: 'default' },
      spec: {
        rayClusterConfig: { headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', image: 'x' }] } } } },
      },
    });
    const runsOn = (rayClusterName: string) =>
      client.patch(
        resources.rayServices,
        { namespace: 'default', name: 'shop' },
        { type: 'merge', body: { status: { activeServiceStatus: { rayClusterName } } } },
        { subresource: 'status' },
      );
    await runsOn('blue');
    const opened = await open('rayservices/default/shop', vera);
    expect((await ask(opened, '/')).body).toBe('<title>blue</title>');
    await runsOn('green');
    expect((await ask(opened, '/')).body).toBe('<title>green</title>');
  });

  it('ends with the login', async () => {
    const cookie = await fixture.logIn('vera');
    const opened = await open('rayclusters/default/green', cookie);
    expect((await ask(opened, '/')).status).toBe(200);
    await fixture.request('/api/logout', { cookie, method: 'POST' });
    expect((await ask(opened, '/')).status).toBe(401);
  });

  it('streams the live log of a job without compression, to its own page only', async () => {
    const { host, port, cookie } = await open('rayclusters/default/blue', vera);
    const tail = (origin: string) =>
      new WebSocket(`ws://127.0.0.1:${port}/api/jobs/train/logs/tail`, { headers: { host, cookie }, origin });
    const socket = tail(`http://${host}`);
    const [data] = (await once(socket, 'message')) as [Buffer];
    expect(data.toString()).toBe('line 1 of blue\nline 2\n');
    expect(blue.requests[0]?.headers).toMatchObject({ 'x-ray-authorization': 'Bearer secret-of-blue' });
    expect(blue.requests[0]?.headers).not.toHaveProperty('sec-websocket-extensions');
    const foreign = tail('http://green-0123456789.localhost');
    foreign.on('error', () => undefined);
    const [, refused] = (await once(foreign, 'unexpected-response')) as [unknown, { statusCode: number }];
    expect(refused.statusCode).toBe(403);
  });
});

describe('attacks through a Ray dashboard', () => {
  it('cannot submit, stop or delete jobs, nor reach any other write: ShadowRay', async () => {
    const opened = await open('rayclusters/default/blue', await fixture.logIn('ada'));
    const headers = { 'content-type': 'application/json' };
    for (const [method, path] of [
      ['POST', '/api/jobs/'],
      ['POST', '/api/jobs/train/stop'],
      ['DELETE', '/api/jobs/train'],
      ['PUT', '/api/serve/applications/'],
      ['PUT', '/api/packages/gcs/_ray_pkg_0123456789abcdef.zip'],
      ['PATCH', '/nodes'],
      ['OPTIONS', '/api/jobs/'],
    ] as const)
      expect([path, (await ask(opened, path, { method, headers, body: '{"entrypoint":"id"}' })).status]).toEqual([
        path,
        405,
      ]);
    const override = { ...headers, 'x-http-method-override': 'POST' };
    expect((await ask(opened, '/api/jobs/', { headers: override, body: '{"entrypoint":"id"}' })).status).toBe(400);
    expect(blue.requests).toEqual([]);
  });

  it.each([
    '/api/actors/kill?actor_id=1',
    '/api/actors/%6bill?actor_id=1',
    '/static/%2e%2e/api/actors/kill',
    '/static/..%2fapi%2factors%2fkill',
    '//evil.example/',
    '/api/v0/delay/100',
  ])('do not reach Ray at %s', async (path) => {
    const opened = await open('rayclusters/default/green', vera);
    expect((await ask(opened, path)).status).toBe(404);
    expect(green.requests).toEqual([]);
  });

  it('cannot smuggle a second request in a body', async () => {
    const { host, port, cookie } = await open('rayclusters/default/green', vera);
    const inner = `POST /api/jobs/ HTTP/1.1\r\nhost: ${host}\r\ncookie: ${cookie}\r\ncontent-length: 2\r\n\r\n{}`;
    for (const framing of [`content-length: ${inner.length}`, 'transfer-encoding: chunked\r\ncontent-length: 5']) {
      const one = connect(Number(port), '127.0.0.1');
      one.end(`GET / HTTP/1.1\r\nhost: ${host}\r\ncookie: ${cookie}\r\n${framing}\r\n\r\n${inner}`);
      expect(await text(one)).toMatch(/^HTTP\/1\.1 400/);
    }
    expect(green.requests).toEqual([]);
  });

  it('profilers need the verb ray:write', async () => {
    const opened = await open('rayclusters/default/green', vera);
    const refused = await ask(opened, '/worker/cpu_profile?pid=1');
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('Ask for the verb "ray:write"')]);
    expect(green.requests).toEqual([]);
    const ada = await open('rayclusters/default/green', await fixture.logIn('ada'));
    expect((await ask(ada, '/worker/cpu_profile?pid=1')).status).toBe(200);
    expect(fixture.log()).toMatch(/Profile.*"user":"ada"/);
    const foreign = { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' } };
    expect((await ask(ada, '/worker/cpu_profile?pid=1', foreign)).status).toBe(403);
  });

  it('a viewer without get on the cluster sees nothing', async () => {
    await createCluster(fixture, 'hidden', green);
    const { client } = fixture.engine;
    await client.delete(resources.roleBindings, { namespace: 'default', name: 'see-clusters-vera' });
    try {
      const opened = await open('rayclusters/default/hidden', vera);
      await vi.waitFor(async () => expect((await ask(opened, '/')).status).toBe(403));
      expect(green.requests).toEqual([]);
    } finally {
      await client.delete(resources.roles, { namespace: 'default', name: 'see-clusters-vera' });
      await letSeeClusters(client, 'vera');
    }
  });

  it('a ticket works once and on its own host; other hosts are refused', async () => {
    const { host, port, pathname, search } = await linkTo('rayclusters/default/green', vera);
    const at = { port, cookie: '' };
    expect((await ask({ ...at, host: host.replace('green', 'blue') }, pathname + search)).status).toBe(403);
    expect((await ask({ ...at, host }, pathname + search)).status).toBe(403);
    for (const other of ['evil.example', `127.0.0.1:${port}`, `a.b.localhost:${port}`])
      expect([other, (await ask({ ...at, host: other }, '/')).status]).toEqual([other, 421]);
    expect((await ask({ ...at, host }, '/')).status).toBe(401);
  });

  it('a pod that only claims to be the head gets no token', async () => {
    const { client } = fixture.engine;
    const { metadata } = await client.get(resources.pods, { namespace: 'default', name: 'blue-head' });
    const imposter = await startScriptedHead('imposter');
    await client.create(resources.pods, {
      metadata: { name: 'aaa-imposter', namespace: 'default', labels: metadata?.labels },
      spec: { nodeName: 'node-1', containers: [{ name: 'ray-head', image: 'x' }] },
    } as never);
    fixture.pods.ports.set('aaa-imposter:8265', imposter.port);
    const opened = await open('rayclusters/default/blue', vera);
    expect((await ask(opened, '/')).body).toBe('<title>blue</title>');
    expect(imposter.requests).toEqual([]);
    await imposter.close();
  });
});

describe('output of a job and packages', () => {
  const lines = async (answer: Response) =>
    (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as LogMessage);
  const createJob = async (name: string, rayClusterName: string) => {
    const { client } = fixture.engine;
    await client.create(resources.rayJobs, {
      apiVersion: 'ray.io/v1',
      kind: 'RayJob',
      metadata: { name, namespace: 'default' },
      spec: {
        entrypoint: 'true',
        submissionMode: 'HTTPMode',
        rayClusterSpec: { headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', image: 'x' }] } } } },
      },
    } as never);
    const body = { status: { jobId: `${name}-id`, rayClusterName } };
    await client.patch(
      resources.rayJobs,
      { namespace: 'default', name },
      { type: 'merge', body },
      { subresource: 'status' },
    );
  };

  it('come from the head over its live log, with the rights of the viewer', async () => {
    await createJob('train', 'blue');
    const answer = await fixture.request('/api/logs/rayjobs/default/train', { cookie: vera });
    expect(await lines(answer)).toEqual([
      { type: 'source', name: "Ray's log of job train-id" },
      { type: 'lines', lines: ['line 1 of blue', 'line 2'] },
      { type: 'end' },
    ]);
    const missing = await fixture.request('/api/logs/rayjobs/default/none', { cookie: vera });
    expect((await lines(missing)).at(-1)).toEqual({ type: 'end', problem: expect.stringContaining('not found') });
  });

  it('end when a head sends a message of more than 16 MiB', async () => {
    await createJob('flood', 'blue');
    const answer = await fixture.request('/api/logs/rayjobs/default/flood', { cookie: vera });
    expect(await lines(answer)).toEqual([
      { type: 'source', name: "Ray's log of job flood-id" },
      { type: 'end', problem: expect.stringContaining('Max payload size exceeded') },
    ]);
  });

  it('packages are handed to the head of whoever may ray:write', async () => {
    const path = '/api/packages/default/blue/_ray_pkg_0123456789abcdef.zip';
    const put = (cookie: string, to = path) =>
      fixture.request(to, { cookie, method: 'PUT', body: Buffer.alloc(200_000, 1) });
    expect((await put(vera)).status).toBe(403);
    const ada = await fixture.logIn('ada');
    expect((await put(ada, '/api/packages/default/blue/..%2f..%2fjobs')).status).toBe(404);
    expect(blue.requests).toEqual([]);
    expect((await put(ada)).status).toBe(204);
    expect(blue.requests).toMatchObject([
      { method: 'PUT', url: '/api/packages/gcs/_ray_pkg_0123456789abcdef.zip', bytes: 200_000 },
    ]);
    const ofUnknownLength = new ReadableStream({
      start: (to) => {
        to.enqueue(new Uint8Array(1000));
        to.close();
      },
    });
    const init = { cookie: ada, method: 'PUT', body: ofUnknownLength, duplex: 'half' } as const;
    expect((await fixture.request(path, init)).status).toBe(413);
    expect(blue.requests).toHaveLength(1);
  });
});
