import type { ContainerPort, HeadGroupSpec, RayCluster, RayClusterSpec, Service } from '@manta/api';
import { rayCluster, withHead, withSpec } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../testing/build-context.ts';
import { buildHeadService, headServiceSelector } from './head-service.ts';

const build = (cluster: RayCluster, env = {}): Service =>
  buildHeadService(cluster, cluster.spec as RayClusterSpec, buildContext({ env }));
const head = (overrides: Partial<HeadGroupSpec>, env = {}) => build(rayCluster('demo', withHead(overrides)), env);
const withPorts = (ports: readonly ContainerPort[]): Partial<HeadGroupSpec> => ({
  template: { spec: { containers: [{ name: 'ray', ports }] } },
});
const labelled = (labels: Record<string, string>): Partial<HeadGroupSpec> => ({
  template: { metadata: { labels }, spec: { containers: [{ name: 'ray' }] } },
});
const ports = (service: Service) => service.spec?.ports?.map(({ name, port }) => `${name} ${port}`);

const FIVE = {
  'ray.io/cluster': 'demo',
  'ray.io/node-type': 'head',
  'ray.io/identifier': 'demo-head',
  'app.kubernetes.io/name': 'kuberay',
  'app.kubernetes.io/created-by': 'kuberay-operator',
};

describe('buildHeadService()', () => {
  it('makes a Service that leads to the head pod itself', () => {
    expect(head({})).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'demo-head-svc',
        namespace: 'default',
        labels: FIVE,
        ownerReferences: [
          {
            apiVersion: 'ray.io/v1',
            kind: 'RayCluster',
            name: 'demo',
            uid: 'uid-demo',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector: FIVE,
        ports: [
          { name: 'client', port: 10001, appProtocol: 'tcp' },
          { name: 'dashboard', port: 8265, appProtocol: 'tcp' },
          { name: 'gcs-server', port: 6379, appProtocol: 'tcp' },
          { name: 'metrics', port: 8080, appProtocol: 'tcp' },
          { name: 'serve', port: 8000, appProtocol: 'tcp' },
        ],
      },
    });
  });

  it.each<[string, readonly ContainerPort[], readonly string[]]>([
    ['a single port brings metrics along', [{ name: 'random', containerPort: 1234 }], ['metrics 8080', 'random 1234']],
    ['a metrics port of the user stays', [{ name: 'metrics', containerPort: 9999 }], ['metrics 9999']],
    ['a port without a name gets one', [{ containerPort: 1111 }], ['1111-port 1111', 'metrics 8080']],
    [
      'of two ports with one name the last counts',
      [
        { name: 'client', containerPort: 1 },
        { name: 'client', containerPort: 2 },
      ],
      ['client 2', 'metrics 8080'],
    ],
    [
      'of two ports with one number the first counts, and metrics have no port of their own where theirs is taken',
      [
        { name: 'http', containerPort: 8080 },
        { name: 'dns', containerPort: 53 },
        { name: 'dns-udp', containerPort: 53, protocol: 'UDP' },
      ],
      ['dns 53', 'http 8080'],
    ],
    [
      'the order of the container does not matter',
      [
        { name: 'z', containerPort: 3 },
        { name: 'a', containerPort: 4 },
      ],
      ['a 4', 'metrics 8080', 'z 3'],
    ],
  ])('%s', (_, containerPorts, expected) => {
    expect(ports(head(withPorts(containerPorts)))).toEqual(expected);
  });

  it.each<[string, Partial<HeadGroupSpec>, Record<string, string>, object]>([
    ['type ClusterIP is headless too', { serviceType: 'ClusterIP' }, {}, { type: 'ClusterIP', clusterIP: 'None' }],
    ['type NodePort has an address', { serviceType: 'NodePort' }, {}, { type: 'NodePort' }],
    ['an installation may want addresses', {}, { ENABLE_RAY_HEAD_CLUSTER_IP_SERVICE: 'true' }, {}],
    ["a Service of the user's own is never made headless", { headService: {} }, {}, {}],
    ["the user's address is kept", { headService: { spec: { clusterIP: 'None' } } }, {}, { clusterIP: 'None' }],
    [
      "the user's type wins",
      { serviceType: 'NodePort', headService: { spec: { type: 'LoadBalancer' } } },
      {},
      { type: 'LoadBalancer' },
    ],
    [
      'a Service without a type gets the group’s',
      { serviceType: 'NodePort', headService: {} },
      {},
      { type: 'NodePort' },
    ],
  ])('%s', (_, overrides, env, expected) => {
    const { type, clusterIP } = head(overrides, env).spec ?? {};
    expect({ ...(type === undefined ? {} : { type }), ...(clusterIP === undefined ? {} : { clusterIP }) }).toEqual(
      expected,
    );
  });

  it("completes a Service of the user's own", () => {
    const headService: Service = {
      metadata: {
        name: 'mine',
        namespace: 'elsewhere',
        labels: { mine: '1', 'ray.io/cluster': 'other' },
        annotations: { both: 'service', own: '1' },
      },
      spec: {
        selector: { foo: 'bar' },
        sessionAffinity: 'ClientIP',
        ports: [
          { name: 'extra', port: 5 },
          { name: 'dashboard', port: 80, targetPort: 8265 },
          { name: 'models', port: 8000 },
          { name: 'gossip', port: 6379, protocol: 'UDP' },
        ],
      },
    };
    const cluster = rayCluster(
      'demo',
      withHead({ headService }),
      withSpec({ headServiceAnnotations: { both: 'spec' } }),
    );
    const service = build(cluster);
    expect(service.metadata).toMatchObject({
      name: 'mine',
      namespace: 'default',
      labels: { ...FIVE, mine: '1' },
      annotations: { both: 'spec', own: '1' },
    });
    expect(service.spec?.selector).toEqual(FIVE);
    expect(service.spec?.sessionAffinity).toBe('ClientIP');
    expect(ports(service)).toEqual([
      'extra 5',
      'dashboard 80',
      'models 8000',
      'gossip 6379',
      'client 10001',
      'gcs-server 6379',
      'metrics 8080',
    ]);
  });

  it.each<[string, Partial<HeadGroupSpec>, object]>([
    ['in the template', labelled({ 'app.kubernetes.io/name': 'custom' }), { 'app.kubernetes.io/name': 'custom' }],
    ['by the group', { labels: { 'app.kubernetes.io/name': 'group' } }, { 'app.kubernetes.io/name': 'group' }],
    [
      'all of them',
      labelled({ 'ray.io/identifier': 'who', 'app.kubernetes.io/created-by': 'me' }),
      { 'ray.io/identifier': 'who', 'app.kubernetes.io/created-by': 'me' },
    ],
    ['those that no user may change', labelled({ 'ray.io/cluster': 'x', 'ray.io/node-type': 'worker' }), {}],
  ])('selects the head pod also where its labels were changed: %s', (_, overrides, changed) => {
    const service = head(overrides);
    expect(service.spec?.selector).toEqual({ ...FIVE, ...changed });
    expect(service.metadata?.labels).toMatchObject(headServiceSelector('demo'));
  });
});
