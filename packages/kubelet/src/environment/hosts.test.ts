import { describe, expect, it } from 'vitest';
import { hostsText } from './hosts.ts';

const stored = (name: string, namespace: string) => ({
  name,
  namespace,
  uid: name,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
  generation: 1,
});
const service = (name: string, namespace = 'default', spec = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: stored(name, namespace),
  spec,
});
const slice = (name: string, endpoints: readonly { ip: string; ready?: boolean }[], namespace = 'default') => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { ...stored(`${name}-x`, namespace), labels: { 'kubernetes.io/service-name': name } },
  addressType: 'IPv4' as const,
  endpoints: endpoints.map(({ ip, ready }) => ({
    addresses: [ip],
    conditions: ready === undefined ? {} : { ready },
  })),
});

describe('the names that a pod knows', () => {
  const text = hostsText({ metadata: { name: 'me', namespace: 'default' } }, '10.0.0.9', {
    services: [
      service('head', 'default', { clusterIP: 'None', ports: [{ port: 6379 }] }),
      service('kubernetes', 'default', { clusterIP: '10.9.0.1', ports: [{ port: 443 }] }),
      service('head', 'other', { clusterIP: 'None' }),
      service('empty', 'default', { clusterIP: 'None' }),
      service('web', 'default', { clusterIP: '10.9.0.7', ports: [{ port: 80 }] }),
      service('dns', 'default', { clusterIP: '10.9.0.8', ports: [{ port: 53, protocol: 'UDP' }] }),
    ],
    slices: [
      slice('head', [
        { ip: '10.0.0.2', ready: false },
        { ip: '10.0.0.3', ready: true },
      ]),
      slice('head', [{ ip: '10.0.0.4' }], 'other'),
      slice('empty', [{ ip: '10.0.0.5', ready: false }]),
      slice('dns', [{ ip: '10.0.0.6' }]),
    ],
    apiServer: '10.0.0.1',
  });
  const lines = text.trimEnd().split('\n');

  it.each([
    ['itself', '10.0.0.9 me'],
    ['this machine', '127.0.0.1 localhost'],
    [
      'a Service, at its own address, also by its short name, whether it has pods or not',
      '10.9.0.7 web.default.svc.cluster.local web.default.svc web.default web',
    ],
    [
      'a pod, where a Service speaks something else than TCP',
      '10.0.0.6 dns.default.svc.cluster.local dns.default.svc dns.default dns',
    ],
    ['a ready pod of a headless Service', '10.0.0.3 head.default.svc.cluster.local head.default.svc head.default head'],
    [
      'a Service of another namespace, by its long names',
      '10.0.0.4 head.other.svc.cluster.local head.other.svc head.other',
    ],
  ])('are those of %s', (_, line) => {
    expect(lines).toContain(line);
  });

  it('include the API server, once', () => {
    expect(lines.filter((line) => line.includes('kubernetes'))).toEqual([
      '10.0.0.1 kubernetes.default.svc kubernetes.default.svc.cluster.local kubernetes.default kubernetes',
    ]);
  });

  it('do not include a headless Service with no pod that is ready', () => {
    expect(text).not.toContain('empty');
  });
});
