import { connect, createServer, type Server } from 'node:net';
import { once } from 'node:events';
import type { Pod, Service } from '@manta/api';
import { pods, services, startController } from '@manta/controllers';
import { SPACE, startTestCluster, type TestCluster } from '@manta/controllers/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DashboardLink, Dashboards } from './dashboards.ts';

let test: TestCluster;
let dashboards: Dashboards;
let stop: () => void;
let links: readonly DashboardLink[];

beforeEach(async () => {
  test = await startTestCluster();
  links = [];
  dashboards = open();
  stop = startController(test.cluster, dashboards.controller(test.cluster));
});
afterEach(() => {
  stop();
  dashboards.close();
});

function open(): Dashboards {
  const dial = () => Promise.reject(new Error('nobody answers'));
  return new Dashboards({ dial, onChange: (all) => void (links = all) });
}

const labels = { 'ray.io/cluster': 'sample', 'ray.io/node-type': 'head' };
const owner = { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'sample', uid: 'u', controller: true };
const service: Partial<Service> = {
  metadata: { labels, ownerReferences: [owner] },
  spec: { clusterIP: 'None', ports: [{ name: 'dashboard', port: 8265 }] },
};
const ready: Pod['status'] = { conditions: [{ type: 'Ready', status: 'True' }] };

/** A cluster with a head Service and a head pod that is ready. */
async function createCluster(): Promise<void> {
  await test.create(services, 'sample-head-svc', service);
  await test.create(pods, 'sample-head', {
    metadata: { labels },
    spec: { containers: [{ name: 'ray-head', image: 'ray' }] },
  });
}
const setReady = () =>
  test.client.patch(
    pods,
    { namespace: SPACE, name: 'sample-head' },
    { type: 'merge', body: { status: ready } },
    { subresource: 'status' },
  );
const untilLinks = (count: number) =>
  vi.waitFor(async () => {
    await test.advance(1);
    expect(links).toHaveLength(count);
  });
const opened = () => untilLinks(1);

describe('the dashboard of a cluster', () => {
  it('has a URL from the time its head is ready until its Service is deleted', async () => {
    await createCluster();
    await test.advance(1);
    expect(links).toEqual([]);
    await setReady();
    await opened();
    expect(links).toMatchObject([{ namespace: SPACE, cluster: 'sample' }]);
    const url = links[0]?.url ?? '';
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([502, 'nobody answers\n']);
    await test.client.delete(services, { namespace: SPACE, name: 'sample-head-svc' });
    await untilLinks(0);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('keeps its URL over a restart of the engine, unless another program has taken the port', async () => {
    await createCluster();
    await setReady();
    await opened();
    const [first] = links;
    const port = Number(new URL(first?.url ?? '').port);
    stop();
    dashboards.close();
    links = [];
    dashboards = open();
    stop = startController(test.cluster, dashboards.controller(test.cluster));
    await opened();
    expect(links).toEqual([first]);

    stop();
    dashboards.close();
    const other = await takePort(port);
    links = [];
    dashboards = open();
    stop = startController(test.cluster, dashboards.controller(test.cluster));
    await opened();
    expect(new URL(links[0]?.url ?? '').port).not.toBe(String(port));
    other.close();
  });

  it('is not served for a Service that no RayCluster owns', async () => {
    await createCluster();
    await test.client.patch(
      services,
      { namespace: SPACE, name: 'sample-head-svc' },
      { type: 'merge', body: { metadata: { ownerReferences: null } } },
    );
    await setReady();
    await test.advance(1);
    expect(links).toEqual([]);
  });
});

async function takePort(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  connect(port, '127.0.0.1')
    .on('error', () => undefined)
    .destroy();
  return server;
}
