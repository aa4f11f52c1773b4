import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigMap } from '../../packages/api/src/index.ts';
import {
  createKubeClient,
  createTransport,
  isGone,
  type KubeClient,
  loadConnection,
  resources,
  systemClock,
  type Transport,
  TransportError,
} from '../../packages/kube/src/index.ts';
import { type FaultyWire, openFaultyWire } from '../../packages/kube/src/testing/index.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';

const { configMaps } = resources;
const namespace = 'default';
let plane: ControlPlane;
let wire: FaultyWire;
let transport: Transport;
let client: KubeClient;

beforeAll(async () => {
  // The largest chance that the server accepts: one request in fifty is answered with a GOAWAY for its session.
  plane = await startControlPlane({
    apiServerFlags: ['--goaway-chance=0.02', '--shutdown-watch-termination-grace-period=2s'],
  });
  wire = await openFaultyWire(Number(new URL(plane.url).port));
  const direct = await loadConnection({ kubeconfig: plane.adminKubeconfig.path });
  const connection = {
    server: new URL(`https://127.0.0.1:${wire.port}`),
    tls: direct.tls,
    credentials: () => direct.credentials(),
    invalidateCredentials: () => direct.invalidateCredentials(),
  };
  transport = createTransport({ connection, clock: systemClock });
  client = createKubeClient({ transport, clock: systemClock });
});
afterAll(async () => {
  await transport.close();
  await wire.close();
  await plane.stop();
});

const configMap = (name: string): ConfigMap => ({ metadata: { name, namespace } });

async function untilEnd(events: AsyncIterable<unknown>): Promise<Error | undefined> {
  try {
    for await (const _ of events) continue;
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** The API server opens its port a little before it serves everything. */
async function untilServed(): Promise<void> {
  for (;;) {
    try {
      await client.list(configMaps, { namespace });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

test('a server that says GOAWAY all the time loses none of our writes and repeats none', async () => {
  const count = 1500;
  const before = wire.connectionCount;
  const names = Array.from({ length: count }, (_, i) => `goaway-${i}`);
  const queue = [...names];
  const failures: unknown[] = [];
  const worker = async () => {
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      // A create that was sent twice would come back as AlreadyExists.
      await client.create(configMaps, configMap(name)).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  expect(failures).toEqual([]);
  expect(wire.connectionCount - before).toBeGreaterThan(3);
  const made: unknown[] = [];
  for await (const item of client.listStream(configMaps, { namespace })) made.push(item.metadata?.name);
  expect(made).toEqual(expect.arrayContaining(names));
});

test('connections that break under load fail some writes at once, stop nothing, and never corrupt an answer', async () => {
  const outcomes: string[] = [];
  const queue = Array.from({ length: 400 }, (_, i) => `cut-${i}`);
  const worker = async () => {
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (queue.length % 40 === 0) wire.cutAfter(500 + queue.length);
      try {
        const made = await client.create(configMaps, configMap(name), { timeoutMs: 10_000 });
        outcomes.push(made.metadata?.name === name ? 'made' : 'mixed up');
      } catch (error) {
        outcomes.push(
          error instanceof TransportError && !error.message.includes('within') ? 'broken off' : String(error),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  expect(outcomes).toHaveLength(400);
  expect([...new Set(outcomes)].toSorted()).toEqual(['broken off', 'made']);
});

test('a killed API server ends the watch with an error; the same client goes on when it is back', async () => {
  const { metadata } = await client.list(configMaps, { namespace });
  const ended = untilEnd(client.watch(configMaps, { namespace, resourceVersion: metadata.resourceVersion }));
  await plane.stopApiServer('SIGKILL');
  expect(await ended).toBeInstanceOf(TransportError);
  const refused = await client.create(configMaps, configMap('too-early')).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TransportError);
  await plane.startApiServer();
  await untilServed();
  await client.create(configMaps, configMap('after-restart'));
  expect((await client.get(configMaps, { name: 'after-restart', namespace })).metadata?.uid).toBeTruthy();
});

test('after the restart a version from before it is gone', async () => {
  const error = await untilEnd(client.watch(configMaps, { namespace, resourceVersion: '1' }));
  expect(isGone(error)).toBe(true);
  expect(error?.message).toContain('too old resource version');
});

test('an API server that stops in order ends the watch too', async () => {
  const { metadata } = await client.list(configMaps, { namespace });
  const ended = untilEnd(client.watch(configMaps, { namespace, resourceVersion: metadata.resourceVersion }));
  await plane.restartApiServer('SIGTERM');
  await ended;
  await untilServed();
  const made = await client.create(configMaps, configMap('after-second-restart'));
  expect(made.metadata?.uid).toBeTruthy();
});
