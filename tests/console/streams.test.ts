import { once } from 'node:events';
import type { ExecOutput, LogMessage } from '@manta/console';
import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type ConsoleFixture, startConsoleFixture } from './console-fixture.ts';
import { createRunningPod } from './scripted-pods.ts';

let fixture: ConsoleFixture;
let ada: string;
let vera: string;
beforeAll(async () => {
  fixture = await startConsoleFixture();
  await createRunningPod(fixture.engine.client, 'head');
  ada = await fixture.logIn('ada');
  vera = await fixture.logIn('vera');
});
afterAll(() => fixture.close());

async function* logMessages(answer: Response): AsyncGenerator<LogMessage> {
  let text = '';
  for await (const chunk of (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as LogMessage;
  }
}

async function readLog(path: string, cookie: string): Promise<readonly LogMessage[]> {
  return await Array.fromAsync(logMessages(await fixture.request(path, { cookie })));
}

const LOG = '/api/logs/pods/default/head';

describe('log of a pod', () => {
  it('arrives as lines', async () => {
    fixture.pods.logs.set('head', async function* () {
      yield 'one\n\u001B[31mtwo\u001B[0m\n';
    });
    expect(await readLog(`${LOG}?container=ray-head`, ada)).toEqual([
      { type: 'source', name: 'pod head, container ray-head' },
      { type: 'lines', lines: ['one', '\u001B[31mtwo\u001B[0m'] },
      { type: 'end' },
    ]);
  });

  it("is read with the viewer's identity: the API server's refusal is its end", async () => {
    expect((await readLog(LOG, vera)).at(-1)).toEqual({
      type: 'end',
      problem: expect.stringContaining('User "vera" cannot get resource "pods/log"'),
    });
  });

  it('needs a login and a name that is one', async () => {
    expect((await fixture.request(LOG)).status).toBe(401);
    expect((await fixture.request('/api/logs/pods/default/..%2f..%2fsecrets', { cookie: ada })).status).toBe(404);
  });

  it('cuts lines of 2 MB', async () => {
    fixture.pods.logs.set('head', async function* () {
      yield `${'x'.repeat(2_000_000)}\nafter\n`;
    });
    const messages = await readLog(LOG, ada);
    const lines = messages.flatMap((message) => (message.type === 'lines' ? message.lines : []));
    expect(lines).toEqual([`${'x'.repeat(16_384)} … (1983616 more characters)`, 'after']);
  });

  it('of 100,000 lines a second stays bounded, shows the newest lines and counts the others', async () => {
    const total = 300_000;
    fixture.pods.logs.set('head', async function* () {
      for (let at = 0; at < total; at += 10_000)
        yield Array.from({ length: 10_000 }, (_, index) => `line ${at + index}\n`).join('');
    });
    const messages = await readLog(`${LOG}?follow=true`, ada);
    const lines = messages.flatMap((message) => (message.type === 'lines' ? message.lines : []));
    const dropped = messages.reduce((sum, message) => sum + (message.type === 'lines' ? (message.dropped ?? 0) : 0), 0);
    expect(lines.at(-1)).toBe(`line ${total - 1}`);
    expect(lines.length + dropped).toBe(total);
    const longest = Math.max(...messages.map((message) => (message.type === 'lines' ? message.lines.length : 0)));
    expect(longest).toBeLessThanOrEqual(2000);
  });

  it('ends with the session', async () => {
    const cookie = await fixture.logIn('ada');
    const written = Promise.withResolvers<void>();
    fixture.pods.logs.set('head', async function* () {
      yield 'one\n';
      await written.promise;
    });
    const messages = logMessages(await fixture.request(`${LOG}?follow=true`, { cookie }));
    await messages.next();
    await messages.next();
    await fixture.request('/api/logout', { cookie, method: 'POST' });
    expect((await messages.next()).value).toEqual({ type: 'end', problem: 'you logged out' });
    written.resolve();
  });
});

describe('terminal', () => {
  const open = (path: string, cookie: string, origin = fixture.console.url.slice(0, -1)) =>
    new WebSocket(
      new URL(
        `${path}${path.includes('?') ? '&' : '?'}key=${fixture.keyOf(cookie)}`,
        fixture.console.url.replace('http', 'ws'),
      ),
      { headers: { cookie }, origin },
    );
  const refusal = async (socket: WebSocket) => {
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    socket.on('error', () => undefined);
    socket.terminate();
    return answer.statusCode;
  };

  it('runs a command with the rights of the viewer, carries both directions and leaves an audit line', async () => {
    const socket = open('/api/exec/default/head?container=ray-head&command=sh', ada);
    const said: ExecOutput[] = [];
    let output = '';
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) output += data.toString();
      else said.push(JSON.parse(data.toString()) as ExecOutput);
      if (said.length === 1 && !isBinary) {
        socket.send(JSON.stringify({ type: 'resize', columns: 100, rows: 40 }));
        socket.send(JSON.stringify({ type: 'input', text: 'echo $((6*7)); exit 3\n' }));
      }
    });
    await once(socket, 'close');
    expect(output).toContain('42');
    expect(said).toEqual([{ type: 'open' }, { type: 'exit', code: 3 }]);
    expect(fixture.log()).toMatch(/Exec.*"user":"ada","namespace":"default","pod":"head"/);
  });

  it('is refused to a viewer who may not, with the missing right', async () => {
    const socket = open('/api/exec/default/head', vera);
    const [data] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(data.toString())).toEqual({
      type: 'exit',
      problem: expect.stringContaining('Ask for the verb "create" on pods/exec'),
    });
  });

  it('is refused to foreign pages, without a session and on other paths', async () => {
    const path = '/api/exec/default/head';
    expect(await refusal(open(path, ada, 'http://evil.example'))).toBe(403);
    expect(await refusal(open(path, '__Host-manta=guess'))).toBe(401);
    expect(await refusal(open('/api/exec/default/..%2fx', ada))).toBe(404);
    expect(await refusal(open('/api/stream', ada))).toBe(404);
  });

  it('is cut when the session ends', async () => {
    const cookie = await fixture.logIn('ada');
    const socket = open('/api/exec/default/head?command=sleep&command=60', cookie);
    const said: ExecOutput[] = [];
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) said.push(JSON.parse(data.toString()) as ExecOutput);
      if (said.length === 1) void fixture.request('/api/logout', { cookie, method: 'POST' });
    });
    await once(socket, 'close');
    expect(said.at(-1)).toEqual({ type: 'exit', problem: 'you logged out' });
  });
});

describe('plans of writes', () => {
  const cluster = {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name: 'planned' },
    spec: { headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', image: 'x' }] } } } },
  };
  const PATH = '/apis/ray.io/v1/namespaces/default/rayclusters/planned?fieldManager=console';
  const apply = (query: string) =>
    fixture.request(PATH + query, {
      cookie: ada,
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(cluster),
    });

  it('are asked of the API server by a dry run, which writes nothing', async () => {
    expect((await apply('&dryRun=All')).status).toBe(201);
    expect((await fixture.request(PATH, { cookie: ada })).status).toBe(404);
  });

  it('are carried out by server-side apply', async () => {
    expect((await apply('')).status).toBe(201);
    const { client } = fixture.engine;
    expect((await client.get(resources.rayClusters, { namespace: 'default', name: 'planned' })).metadata?.name).toBe(
      'planned',
    );
  });
});
