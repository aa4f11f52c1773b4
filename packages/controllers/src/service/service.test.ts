import type { EndpointSlice, Service } from '@manta/api';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Stored } from '../framework/cluster.ts';
import { garbageCollector } from '../gc/garbage-collector.ts';
import { endpointSlices, nodes, pods, services } from '../framework/kinds.ts';
import { SPACE, startTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { addressPool, numberToAddress } from '@manta/apiserver';
import { addressToNumber, allocate, contains } from '../../../apiserver/src/services/address-pool.ts';
import { endpointSliceController } from './endpoint-slices.ts';
import {
  freeClusterIp,
  freeNodePort,
  NODE_PORTS,
  refuseClusterIp,
  refuseNodePort,
  type ServiceAddresses,
} from '../../../apiserver/src/services/service-addresses.ts';

describe('endpoint slices', () => {
  let test: TestCluster;

  beforeEach(async () => {
    test = await startTestCluster();
    test.start(endpointSliceController, garbageCollector);
  });

  const service = async (name: string, spec: object, metadata: object = {}) => {
    const made = await test.create(services, name, { metadata, spec: { selector: { app: 'a' }, ...spec } });
    await test.settle();
    return made;
  };
  const pod = async (name: string, ip: string, isReady: boolean, spec: object = {}) => {
    const containers = [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: 8080 }] }];
    const made = await test.create(pods, name, {
      metadata: { labels: { app: 'a' } },
      spec: { nodeName: 'node-1', containers, ...spec },
    });
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
    await test.setStatus(pods, name, { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions });
    return made;
  };
  const slices = () => test.all(endpointSlices);
  const only = (): Stored<EndpointSlice> => {
    expect(slices()).toHaveLength(1);
    return slices()[0] as Stored<EndpointSlice>;
  };
  const http = { ports: [{ name: 'http', port: 80, targetPort: 'web' }] };

  it('of a service without pods is one empty slice, named, labelled and owned as the real one', async () => {
    const { metadata } = await service('s', http, { labels: { l: 'm' } });
    expect(only()).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^s-[a-z0-9]{5}$/),
        generateName: 's-',
        annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': metadata.creationTimestamp },
        labels: {
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
          'kubernetes.io/service-name': 's',
          l: 'm',
        },
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'Service',
            name: 's',
            uid: metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      addressType: 'IPv4',
      endpoints: null,
      ports: null,
    });
  });

  it('say of every pod whether it is ready, serving and terminating', async () => {
    await service('s', http);
    const one = await pod('p1', '10.1.0.1', true);
    const two = await pod('p2', '10.1.0.2', false);
    const target = ({ metadata: { name, uid } }: typeof one) => ({ kind: 'Pod', name, namespace: SPACE, uid });
    expect(only().ports).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }]);
    expect(only().endpoints).toEqual([
      {
        addresses: ['10.1.0.1'],
        conditions: { ready: true, serving: true, terminating: false },
        nodeName: 'node-1',
        targetRef: target(one),
      },
      {
        addresses: ['10.1.0.2'],
        conditions: { ready: false, serving: false, terminating: false },
        nodeName: 'node-1',
        targetRef: target(two),
      },
    ]);
    await test.client.delete(pods, one.metadata);
    await test.settle();
    expect(only().endpoints?.[0]?.conditions).toEqual({ ready: false, serving: true, terminating: true });
    await test.client.delete(pods, one.metadata, { gracePeriodSeconds: 0 });
    await test.settle();
    expect(only().endpoints?.map(({ addresses }) => addresses[0])).toEqual(['10.1.0.2']);
  });

  it('publish pods that are not ready where the service asks for it', async () => {
    await service('s', { clusterIP: 'None', publishNotReadyAddresses: true, ports: [{ port: 80 }] });
    const made = await pod('p', '10.1.0.1', false);
    await test.client.delete(pods, made.metadata);
    await test.settle();
    expect(only().endpoints?.[0]?.conditions).toEqual({ ready: true, serving: false, terminating: true });
    expect(only().ports).toEqual([{ name: '', port: 80, protocol: 'TCP' }]);
  });

  it('of a headless service carry its label, and the host names of its pods', async () => {
    await service('h', { clusterIP: 'None' });
    await pod('p', '10.1.0.1', true, { hostname: 'hh', subdomain: 'h' });
    expect(only().metadata.labels).toHaveProperty(['service.kubernetes.io/headless'], '');
    expect(only().endpoints?.[0]?.hostname).toBe('hh');
    expect(only().ports).toBeNull();
  });

  it('are apart where pods have the same port at different numbers', async () => {
    await service('s', { ports: [...http.ports, { name: 'n', port: 81, targetPort: 8081, appProtocol: 'grpc' }] });
    await pod('p1', '10.1.0.1', true);
    await pod('p2', '10.1.0.2', true, {
      containers: [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: 9090 }] }],
    });
    const grpc = { appProtocol: 'grpc', name: 'n', port: 8081, protocol: 'TCP' };
    expect(slices().map(({ ports, endpoints }) => [ports, endpoints?.map(({ addresses }) => addresses[0])])).toEqual(
      expect.arrayContaining([
        [[{ name: 'http', port: 8080, protocol: 'TCP' }, grpc], ['10.1.0.1']],
        [[{ name: 'http', port: 9090, protocol: 'TCP' }, grpc], ['10.1.0.2']],
      ]),
    );
  });

  it('leave out pods that have ended, that have no address, and those that do not match', async () => {
    await service('s', http);
    await test.create(pods, 'early', {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    await pod('p', '10.1.0.1', true);
    await test.setStatus(pods, 'p', { phase: 'Failed' });
    expect(only().endpoints).toBeNull();
    await pod('q', '10.1.0.2', true);
    expect(only().endpoints).toHaveLength(1);
    const body = { metadata: { labels: { app: 'b' } } };
    await test.client.patch(pods, { name: 'q', namespace: SPACE }, { type: 'merge', body });
    await test.settle();
    expect(only().endpoints).toBeNull();
  });

  it('leave out pods on a node that does not exist, say so, and take them in when it does', async () => {
    await service('s', http);
    await pod('p', '10.1.0.1', true, { nodeName: 'lost' });
    expect(only().endpoints).toBeNull();
    expect(test.said()).toEqual([
      'Warning FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service default/s: skipping Pod p for Service default/s: Node lost Not Found',
    ]);
    await test.create(nodes, 'lost', { metadata: { labels: { 'topology.kubernetes.io/zone': 'z1' } } });
    await test.settle();
    expect(only().endpoints).toMatchObject([{ nodeName: 'lost', zone: 'z1' }]);
  });

  it('are not made for services without a selector or with an external name', async () => {
    await service('nosel', { selector: {}, ports: [{ port: 80 }] });
    await service('ext', { type: 'ExternalName', externalName: 'foo.bar' });
    expect(slices()).toEqual([]);
  });

  it('hold a hundred endpoints at most', async () => {
    await service('s', http);
    for (let i = 0; i < 105; i += 1) await pod(`p-${i}`, `10.1.1.${i}`, true);
    expect(slices().map(({ endpoints }) => endpoints?.length)).toEqual(expect.arrayContaining([100, 5]));
  });

  it('follow the labels of the service, come back when deleted, and go with it', async () => {
    const { metadata } = await service('s', http);
    const body = { metadata: { labels: { l: 'n' } } };
    await test.client.patch(services, metadata, { type: 'merge', body });
    await test.settle();
    expect(only().metadata.labels).toMatchObject({ l: 'n' });
    await test.client.delete(endpointSlices, only().metadata);
    await test.settle();
    expect(slices()).toHaveLength(1);
    await test.client.delete(services, metadata, { propagation: 'Background' });
    await test.settle();
    expect(slices()).toEqual([]);
    expect(test.errors).toEqual([]);
  });
});

describe('addresses of services', () => {
  const held: readonly Service[] = [
    { spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ports: [{ port: 80, nodePort: 31_000 }] } },
    { spec: { clusterIP: 'None', clusterIPs: ['None'] } },
  ];
  const given = (cidr: string): ServiceAddresses => ({
    services: held,
    addresses: addressPool(cidr),
    nodePorts: NODE_PORTS,
    random: () => 0,
  });

  it('are never held by two, and run out only when all are held', () => {
    const pool = addressPool('10.2.0.0/28');
    const numbers = fc.uniqueArray(fc.integer({ min: pool.first, max: pool.first + pool.count - 1 }));
    fc.assert(
      fc.property(numbers, fc.double({ min: 0, max: 0.999, noNaN: true }), (list, dice) => {
        const taken = new Set(list);
        const value = allocate(
          pool,
          (candidate) => taken.has(candidate),
          () => dice,
        );
        const isFree = value !== undefined && !taken.has(value) && contains(pool, value);
        expect(isFree).toBe(taken.size < pool.count);
      }),
    );
  });

  it('are read and written back alike', () => {
    fc.assert(fc.property(fc.ipV4(), (ip) => numberToAddress(addressToNumber(ip) ?? 0) === ip));
    expect(addressToNumber('None')).toBeUndefined();
    expect(addressToNumber('10.0.0.256')).toBeUndefined();
  });

  it('come from the range, past those that are held', () => {
    expect(freeClusterIp(given('10.0.0.0/16'))).toBe('10.0.0.2');
    expect(freeClusterIp(given('10.0.0.0/30'))).toBe('10.0.0.2');
    expect(freeNodePort(given('10.0.0.0/16'))).toBe(30_000);
    expect(freeNodePort(given('10.0.0.0/16'), [30_000])).toBe(30_001);
  });

  it('that a user asks for are refused when held or out of range', () => {
    expect(refuseClusterIp(given('10.0.0.0/16'), '10.0.0.7')).toBeUndefined();
    expect(refuseClusterIp(given('10.0.0.0/16'), '10.0.0.1')?.message).toBe(
      'failed to allocate IP 10.0.0.1: provided IP is already allocated',
    );
    expect(refuseClusterIp(given('10.0.0.0/16'), '10.9.0.1')?.message).toBe(
      'failed to allocate IP 10.9.0.1: the provided network does not match the current range',
    );
    expect(refuseNodePort(given('10.0.0.0/16'), 31_001, 'f')).toBeUndefined();
    expect(refuseNodePort(given('10.0.0.0/16'), 31_000, 'f')?.message).toBe('provided port is already allocated');
    expect(refuseNodePort(given('10.0.0.0/16'), 1, 'f')?.message).toBe(
      'provided port is not in the valid range. The range of valid ports is 30000-32767',
    );
  });

  it.each(['10.0.0.0', '10.0.0.0/31', '10.0.0.999/16', 'fd00::/112'])('%s is no range', (cidr) => {
    expect(() => addressPool(cidr)).toThrow(/write it like 10\.0\.0\.0\/16/);
  });
});
