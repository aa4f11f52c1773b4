import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer as createTcp, type Server } from 'node:net';
import type { Container, Probe } from '@manta/api';
import { afterEach, describe, expect, it } from 'vitest';
import { type ProbeTarget, tryProbe } from './probe.ts';
import { runProbes } from './probe-loop.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

/** A pod whose ports are those of this machine. */
function targetOf(container: Partial<Container> = {}): ProbeTarget {
  const sandbox = {
    ip: '127.0.0.1',
    connect: (port: number) =>
      new Promise((done, fail) => {
        const socket = connect(port, '127.0.0.1', () => done(socket));
        socket.once('error', fail);
      }),
  };
  return { sandbox, process: {}, container: { name: 'c', ...container } } as unknown as ProbeTarget;
}

describe('a probe', () => {
  it.each([
    [200, true],
    [399, true],
    [400, false],
    [503, false],
  ])('over HTTP that is answered with %s succeeds: %s', async (status, isOk) => {
    const server = createHttp((request, response) => {
      response.writeHead(request.url === '/healthz' && request.headers['x-a'] === 'b' ? status : 404).end();
    });
    const port = await listen(server);
    const target = targetOf({ ports: [{ name: 'web', containerPort: port }] });
    const httpGet = { path: '/healthz', port: 'web', httpHeaders: [{ name: 'x-a', value: 'b' }] };
    expect((await tryProbe({ httpGet }, target)).isOk).toBe(isOk);
  });

  it('over TCP succeeds where somebody listens, and nowhere else', async () => {
    const server = createTcp((socket) => socket.destroy());
    const port = await listen(server);
    expect(await tryProbe({ tcpSocket: { port } }, targetOf())).toEqual({ isOk: true });
    await new Promise((done) => server.close(done));
    expect((await tryProbe({ tcpSocket: { port } }, targetOf())).isOk).toBe(false);
  });

  it.each([
    ['', 1, true],
    ['', 2, false],
    ['my.Service', 1, true],
    ['s'.repeat(200), 1, true],
  ])('over gRPC asks for the health of "%s"; that it says %s succeeds: %s', async (service, state, isOk) => {
    const asked: Buffer[] = [];
    const server = createHttp2((request, response) => {
      request.on('data', (chunk: Buffer) => asked.push(chunk));
      request.on('end', () => {
        response.writeHead(200, { 'content-type': 'application/grpc' });
        response.end(Buffer.from([0, 0, 0, 0, 2, 8, state]));
      });
    });
    const port = await listen(server);
    expect((await tryProbe({ grpc: { port, service } }, targetOf())).isOk).toBe(isOk);
    const frame = Buffer.concat(asked);
    expect(frame.readUInt32BE(1)).toBe(frame.length - 5);
    expect(frame.subarray(frame.length - service.length).toString()).toBe(service);
  });

  it('that names a port which the container does not have says so', async () => {
    const result = await tryProbe({ tcpSocket: { port: 'web' } }, targetOf());
    expect(result).toEqual({ isOk: false, message: 'the container has no port named "web"' });
  });

  it('that gets no answer in its time has failed', async () => {
    const port = await listen(createHttp(() => undefined));
    const result = await tryProbe({ httpGet: { port }, timeoutSeconds: 0.05 }, targetOf());
    expect(result).toEqual({ isOk: false, message: 'no answer within 0.05 s' });
  });
});

describe('the probes of a container', () => {
  /** Runs probes against a server that answers these in turn, the last for ever, until something has been told often enough. */
  async function told(answers: readonly number[], probes: (probe: Probe) => Partial<Container>, until: string) {
    let at = 0;
    const server = createHttp((_, response) => {
      response.writeHead(answers[Math.min(at, answers.length - 1)] ?? 200).end();
      at += 1;
    });
    const port = await listen(server);
    const probe = { httpGet: { port }, periodSeconds: 0.001, failureThreshold: 2 };
    const end = new AbortController();
    const words: string[] = [];
    const say = (word: string) => {
      words.push(word);
      if (word === until) end.abort();
    };
    const listener = {
      started: () => say('started'),
      ready: (isReady: boolean) => say(isReady ? 'ready' : 'not ready'),
      unhealthy: (kind: string) => say(`${kind} unhealthy`),
      failed: (kind: string) => say(`${kind} failed`),
    };
    await runProbes(targetOf(probes(probe)), listener, end.signal);
    return words;
  }

  it('begin with that of its start, alone, and end it where that fails too often', async () => {
    const both = (probe: Probe) => ({ startupProbe: probe, readinessProbe: probe });
    expect(await told([500, 200], both, 'ready')).toEqual(['Startup failed', 'started', 'ready']);
    expect(await told([500], both, 'never')).toEqual(['Startup failed', 'Startup failed', 'Startup unhealthy']);
  });

  it('make it ready after one success, or as many as are asked for, and not ready after as many failures', async () => {
    const readiness = (probe: Probe) => ({ readinessProbe: { ...probe, successThreshold: 2 } });
    const words = await told([200, 500, 200, 200, 500, 500], readiness, 'not ready');
    const failed = 'Readiness failed';
    expect(words).toEqual(['started', failed, 'ready', failed, failed, 'not ready']);
  });

  it('end it where it is no longer alive, after failures in a row only', async () => {
    const liveness = (probe: Probe) => ({ livenessProbe: probe });
    const failed = 'Liveness failed';
    expect(await told([500, 200, 500, 500], liveness, 'never')).toEqual([
      'started',
      'ready',
      failed,
      failed,
      failed,
      'Liveness unhealthy',
    ]);
  });
});
