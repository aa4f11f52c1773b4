import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { FakeClock } from '@manta/runtime/testing';
import { describe, expect, it } from 'vitest';
import { runHook } from './hook.ts';
import type { ProbeTarget } from './probe.ts';
import { FakeSandbox } from '../pods/testing/fake-sandbox.ts';

const clock = new FakeClock();
const fake = new FakeSandbox();
const container = { name: 'main', ports: [{ name: 'web', containerPort: 0 }] };

function targetOf(port: number): ProbeTarget {
  const sandbox = Object.assign(new FakeSandbox(), {
    connect: (number: number) =>
      new Promise((done, fail) => {
        const socket = connect(number, '127.0.0.1', () => done(socket));
        socket.once('error', fail);
      }),
  });
  const ports = [{ name: 'web', containerPort: port }];
  return { sandbox, process: { name: 'main' }, container: { ...container, ports } } as never;
}

describe('a hook over HTTP', () => {
  it.each([200, 503])('is done when it is answered, with %s too', async (status) => {
    let asked = '';
    const server = createServer((request, response) => {
      asked = `${request.method} ${request.url}`;
      response.writeHead(status).end();
    });
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    expect(await runHook({ httpGet: { port: 'web', path: '/bye' } }, targetOf(port), clock)).toEqual({ isOk: true });
    expect(asked).toBe('GET /bye');
    server.close();
  });

  it('has failed where nobody answers', async () => {
    const target = { sandbox: fake, process: { name: 'main' }, container } as never;
    expect(await runHook({ httpGet: { port: 1 } }, target, clock)).toEqual({
      isOk: false,
      message: 'connect ECONNREFUSED',
    });
  });
});
