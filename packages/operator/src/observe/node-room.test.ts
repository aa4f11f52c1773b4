import type { Node, Pod } from '@manta/api';
import { ApiError, resources } from '@manta/kube';
import { podRecord } from '@manta/plan';
import { Interner } from '@manta/runtime';
import { FakeClient, FakeClock } from '@manta/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRoomReader } from './node-room.ts';

const clock = new FakeClock();
const signal = new AbortController().signal;
const message = '0/1 nodes are available: 1 Insufficient cpu.';
const requests = (cpu: string) => [{ name: 'c', resources: { requests: { cpu } } }];
const HEAD: Pod = {
  metadata: { name: 'head', namespace: 'ml' },
  spec: { containers: requests('64') },
  status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] },
};
let client: FakeClient;

beforeEach(async () => {
  client = new FakeClient({ clock });
  const status = { conditions: [{ type: 'Ready', status: 'True' }], allocatable: { cpu: '4', memory: '8Gi' } };
  await client.create<Node>(resources.nodes, { metadata: { name: 'node' }, status });
  await client.create<Pod>(resources.pods, HEAD);
  const busy = (name: string, phase: string): Pod => ({
    metadata: { name, namespace: 'other' },
    spec: { nodeName: 'node', containers: requests('2500m') },
    status: { phase },
  });
  await client.create<Pod>(resources.pods, busy('runs', 'Running'));
  await client.create<Pod>(resources.pods, busy('has-ended', 'Succeeded'));
});

const reader = () => createRoomReader(client, () => clock.now());
const record = podRecord(HEAD, new Interner());
const forbid = (part: string) => {
  client.faults.onRequest = ({ verb, path }) => {
    if (verb === 'list' && path.includes(part)) throw new ApiError({ method: 'GET', path }, 403, 'forbidden');
  };
};

describe('room for a pod that no node takes', () => {
  it('is what the pod asks for, what the largest node has and what is free on it', async () => {
    expect(await reader().of(record, signal)).toBe('asks for 64 CPUs; the largest node has 4, 1.5 free');
  });

  it('leaves out what is free if pods of other namespaces may not be read', async () => {
    forbid('/pods');
    expect(await reader().of(record, signal)).toBe('asks for 64 CPUs; the largest node has 4');
  });

  it('is unknown if nodes may not be read, and is asked for again after ten minutes', async () => {
    forbid('/nodes');
    const room = reader();
    expect(await room.of(record, signal)).toBeUndefined();
    const asked = client.requests.length;
    expect(await room.of(record, signal)).toBeUndefined();
    expect(client.requests).toHaveLength(asked);
    await clock.advance(600_000);
    delete client.faults.onRequest;
    expect(await room.of(record, signal)).toContain('64 CPUs');
  });

  it('is unknown if the API server fails, and no reconcile fails because of it', async () => {
    client.faults.onRequest = () => {
      throw new ApiError({ method: 'GET', path: '/api/v1/nodes' }, 429, 'too many requests');
    };
    const room = reader();
    expect(await room.of(record, signal)).toBeUndefined();
    delete client.faults.onRequest;
    expect(await room.of(record, signal)).toBeUndefined();
    await clock.advance(30_000);
    expect(await room.of(record, signal)).toContain('64 CPUs');
  });

  it('is read once for many pods', async () => {
    const room = reader();
    const lists = () => client.requests.filter(({ verb }) => verb === 'list').length;
    expect(await room.of(record, signal)).toContain('64 CPUs');
    const before = lists();
    expect(await room.of(record, signal)).toContain('64 CPUs');
    expect(lists()).toBe(before);
    await clock.advance(10_000);
    await room.of(record, signal);
    expect(lists()).toBe(before + 2);
  });
});
