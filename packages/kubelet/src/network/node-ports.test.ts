import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpointSlices, services } from '@manta/controllers';
import { startTestCluster, type TestCluster } from '@manta/controllers/testing';
import { Balancers } from './balancers.ts';
import { nodePortController } from './node-ports.ts';

const HOST = '127.0.0.1';
let test: TestCluster;
let balancers: Balancers;
let pod: Server;
let stop: () => void;
beforeEach(async () => {
  test = await startTestCluster();
  pod = await listen(0);
  pod.on('connection', (socket) => socket.end('the pod'));
  const { port } = pod.address() as AddressInfo;
  balancers = new Balancers(async () => connect({ host: HOST, port, allowHalfOpen: true }));
  stop = test.start((cluster) => nodePortController(cluster, balancers));
});
afterEach(() => {
  stop();
  balancers.close();
  pod.close();
});

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, HOST);
  await once(server, 'listening');
  return server;
}

/** A Service of this type that leads to the pod; its node port. */
async function service(type: string, nodePort?: number): Promise<number> {
  const port = { port: 80, ...(nodePort === undefined ? {} : { nodePort }) };
  const { spec } = await test.create(services, 'web', { spec: { type, ports: [port] } });
  await test.create(endpointSlices, 'web-x', {
    metadata: { labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8000 }],
    endpoints: [{ addresses: ['10.244.0.2'] }],
  });
  return spec?.ports?.[0]?.nodePort ?? 0;
}

async function ask(port: number): Promise<string> {
  const socket = connect({ host: HOST, port });
  return await text(socket).catch((error: NodeJS.ErrnoException) => error.code ?? '');
}

/** Listening takes turns of the loop that the test's clock knows nothing of. */
const until = (look: () => Promise<void> | void) =>
  vi.waitFor(async () => {
    await test.settle();
    await look();
  });

describe('a node port', () => {
  it.each(['NodePort', 'LoadBalancer'])(
    'of a Service of type %s answers on this machine until the Service goes',
    async (type) => {
      const port = await service(type);
      await until(async () => expect(await ask(port)).toBe('the pod'));
      await test.client.delete(services, { name: 'web', namespace: 'default' });
      await until(async () => expect(await ask(port)).toBe('ECONNREFUSED'));
      expect([test.said(), test.errors]).toEqual([[], []]);
    },
  );

  it('that is taken is told of at its Service, once, and served as soon as it is free', async () => {
    const squatter = await squat();
    const { port } = squatter.address() as AddressInfo;
    await service('NodePort', port);
    const complaint = `Warning NodePortNotServed: node port ${port} is not served on 127.0.0.1: something else on this machine listens there; it is tried again every 5 s, or choose another nodePort`;
    await until(() => expect(test.said()).toEqual([complaint]));
    await test.advance(60);
    await until(() => expect(test.said()).toEqual([complaint]));
    squatter.close();
    await once(squatter, 'close');
    await test.advance(5);
    await until(async () => expect(await ask(port)).toBe('the pod'));
    await until(() =>
      expect(test.said()).toEqual([complaint, `Normal NodePortServed: node port ${port} is served on 127.0.0.1 now`]),
    );
  });
});

/** Somebody else on one of the ports that Services may ask for. */
async function squat(): Promise<Server> {
  for (let port = 32_767; ; port -= 1) {
    const server = await listen(port).catch(() => undefined);
    if (server !== undefined) return server;
  }
}
