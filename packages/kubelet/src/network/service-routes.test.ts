import { describe, expect, it } from 'vitest';
import { clusterIpPorts, serviceRoutes } from './service-routes.ts';

const stored = (name: string, namespace = 'default') => ({
  name,
  namespace,
  uid: name,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
});
const service = (spec: object, namespace?: string) => ({ metadata: stored('web', namespace), spec });
const http = { name: 'http', port: 80, nodePort: 30_080 };
const slice = (ports: object[] | null, endpoints: object[] | null, parts: object = {}) =>
  ({
    metadata: { ...stored('web-x'), labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports,
    endpoints,
    ...parts,
  }) as never;
const endpoint = (last: number, conditions: object = { ready: true, serving: true }) => ({
  addresses: [`10.244.0.${last}`],
  conditions,
});
const at = (last: number, port: number) => ({ ip: `10.244.0.${last}`, port });

describe('a port of a Service leads to', () => {
  const targets = (...slices: never[]) =>
    serviceRoutes([service({ clusterIP: '10.0.0.7', ports: [http] })], slices)[0]?.ports[0]?.targets;
  const port = { name: 'http', port: 8000, protocol: 'TCP' };

  it('its pods that are ready, on the port that each has it on', () => {
    const other = slice([{ ...port, port: 9000 }], [endpoint(4, {})]);
    const own = slice([port], [endpoint(2), endpoint(3, { ready: false, serving: false })]);
    expect(targets(own, other)).toEqual([at(2, 8000), at(4, 9000)]);
  });

  it('pods that end but still serve, while no other is ready', () => {
    const ending = endpoint(2, { ready: false, serving: true, terminating: true });
    expect(targets(slice([port], [ending, endpoint(3)]))).toEqual([at(3, 8000)]);
    expect(targets(slice([port], [ending]))).toEqual([at(2, 8000)]);
  });

  it.each<[string, never]>([
    ['a slice that is empty', slice(null, null)],
    ['another port', slice([{ ...port, name: 'other' }], [endpoint(2)])],
    ['another protocol', slice([{ ...port, protocol: 'UDP' }], [endpoint(2)])],
    ['addresses of another kind', slice([port], [endpoint(2)], { addressType: 'FQDN' })],
    [
      'a namesake in another namespace',
      slice([port], [endpoint(2)], {
        metadata: { ...stored('web-x', 'other'), labels: { 'kubernetes.io/service-name': 'web' } },
      }),
    ],
  ])('nothing by %s', (_, own) => {
    expect(targets(own)).toEqual([]);
  });
});

describe('the ports of Services’ own addresses', () => {
  const unnamed = slice([{ name: '', port: 8000 }], [endpoint(2)]);

  it.each([
    ['has one', { clusterIP: '10.0.0.7', ports: [{ port: 80 }] }, ['10.0.0.7:80']],
    ['speaks UDP', { clusterIP: '10.0.0.7', ports: [{ port: 53, protocol: 'UDP' }] }, []],
    ['is headless', { clusterIP: 'None', ports: [{ port: 80 }] }, []],
    ['is a name for something else', { type: 'ExternalName', externalName: 'x' }, []],
  ])('of one that %s', (_, spec, expected) => {
    const ports = clusterIpPorts(serviceRoutes([service(spec)], [unnamed]));
    expect(ports.map(({ host, port }) => `${host}:${port}`)).toEqual(expected);
  });
});
