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
const service = (name: string, namespace = 'default') => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: stored(name, namespace),
  spec: {},
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
    services: [service('head'), service('head', 'other'), service('empty')],
    slices: [
      slice('head', [
        { ip: '10.0.0.2', ready: false },
        { ip: '10.0.0.3', ready: true },
      ]),
      slice('head', [{ ip: '10.0.0.4' }], 'other'),
      slice('empty', [{ ip: '10.0.0.5', ready: false }]),
    ],
    apiServer: '10.0.0.1',
  });
  const lines = text.trimEnd().split('\n');

  it.each([
    ['itself', '10.0.0.9 me'],
    ['this machine', '127.0.0.1 localhost'],
    [
      'a ready pod of a Service, also by its short name',
      '10.0.0.3 head.default.svc.cluster.local head.default.svc head.default head',
    ],
    [
      'a Service of another namespace, by its long names',
      '10.0.0.4 head.other.svc.cluster.local head.other.svc head.other',
    ],
  ])('are those of %s', (_, line) => {
    expect(lines).toContain(line);
  });

  it('include the API server', () => {
    expect(text).toContain('10.0.0.1 kubernetes.default.svc');
  });

  it('do not include a Service with no pod that is ready', () => {
    expect(text).not.toContain('empty');
  });
});
