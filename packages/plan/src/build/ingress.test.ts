import type { Ingress, RayCluster, RayClusterSpec } from '@manta/api';
import { rayCluster, withAnnotations, withHead, withMetadata } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { alignIngress, buildIngress } from './ingress.ts';
import { buildRoute } from './route.ts';

const ingressOf = (cluster: RayCluster) => buildIngress(cluster, cluster.spec as RayClusterSpec) as Ingress;
const enabled = withHead({ enableIngress: true });
const front = {
  'ray.io/cluster': 'demo',
  'ray.io/identifier': 'demo-head',
  'app.kubernetes.io/name': 'kuberay',
  'app.kubernetes.io/created-by': 'kuberay-operator',
};

describe('buildIngress()', () => {
  it('leads to the dashboard, with the class as a field and the other annotations as they are', () => {
    const annotations = {
      'kubernetes.io/ingress.class': 'nginx',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      keep: 'this',
    };
    expect(ingressOf(rayCluster('demo', enabled, withAnnotations(annotations)))).toMatchObject({
      metadata: { name: 'demo-head-ingress', namespace: 'default', labels: front, annotations: { keep: 'this' } },
      spec: {
        ingressClassName: 'nginx',
        rules: [
          {
            http: {
              paths: [
                {
                  path: '/',
                  pathType: 'Prefix',
                  backend: { service: { name: 'demo-head-svc', port: { number: 8265 } } },
                },
              ],
            },
          },
        ],
      },
    });
  });

  it("takes host, path and certificates from the options, and port and Service from the user's own", () => {
    const tls = [{ hosts: ['ray.example.com'], secretName: 'cert' }];
    const ingress = ingressOf(
      rayCluster(
        'demo',
        withHead({
          enableIngress: true,
          ingressOptions: { host: 'ray.example.com', path: '/x', pathType: 'Exact', tls },
          headService: { metadata: { name: 'mine' } },
          template: { spec: { containers: [{ name: 'ray', ports: [{ name: 'dashboard', containerPort: 8266 }] }] } },
        }),
      ),
    );
    expect(ingress.spec).toEqual({
      rules: [
        {
          host: 'ray.example.com',
          http: {
            paths: [{ path: '/x', pathType: 'Exact', backend: { service: { name: 'mine', port: { number: 8266 } } } }],
          },
        },
      ],
      tls,
    });
  });

  it.each([
    [{ path: '', pathType: 'ImplementationSpecific' }, { pathType: 'ImplementationSpecific' }],
    [{ pathType: 'ImplementationSpecific' }, { path: '/', pathType: 'ImplementationSpecific' }],
    [{ path: '' }, { path: '/', pathType: 'Prefix' }],
    [
      { path: '', pathType: 'Exact' },
      { path: '/', pathType: 'Exact' },
    ],
  ] as const)('makes of the options %j the path %j', (ingressOptions, path) => {
    const [rule] = ingressOf(rayCluster('demo', withHead({ enableIngress: true, ingressOptions }))).spec?.rules ?? [];
    const { backend: _, ...rest } = rule?.http?.paths[0] ?? {};
    expect(rest).toEqual(path);
  });

  it('is made only where it is wanted', () => {
    expect(ingressOf(rayCluster('demo'))).toBeUndefined();
    expect(ingressOf(rayCluster('demo', withHead({ enableIngress: false })))).toBeUndefined();
  });
});

describe('alignIngress()', () => {
  const wanted = ingressOf(rayCluster('demo', enabled, withAnnotations({ keep: 'this' })));

  it('has nothing to do where the live one is as wanted', () => {
    expect(alignIngress({ ...wanted, status: {} }, wanted)).toBeUndefined();
  });

  it('keeps a class that the installation has filled in', () => {
    const live = { ...wanted, spec: { ...wanted.spec, ingressClassName: 'default' } };
    expect(alignIngress(live, wanted)).toBeUndefined();
    const changed = alignIngress({ ...live, spec: { ...live.spec, rules: [] } }, wanted);
    expect(changed?.spec).toEqual(live.spec);
  });

  it('puts the class that the user asks for', () => {
    const annotations = { 'kubernetes.io/ingress.class': 'nginx', keep: 'this' };
    const live = { ...wanted, spec: { ...wanted.spec, ingressClassName: 'default' } };
    const explicit = ingressOf(rayCluster('demo', enabled, withAnnotations(annotations)));
    expect(alignIngress(live, explicit)?.spec?.ingressClassName).toBe('nginx');
  });

  it('restores what is ours and keeps what others have added', () => {
    const live = {
      ...wanted,
      metadata: { ...wanted.metadata, labels: { theirs: '1' }, annotations: { keep: 'other', seen: 'yes' } },
    };
    const aligned = alignIngress(live, wanted);
    expect(aligned?.metadata?.labels).toEqual({ ...front, theirs: '1' });
    expect(aligned?.metadata?.annotations).toEqual({ keep: 'this', seen: 'yes' });
  });

  it('takes away what came from the cluster and is no longer there', () => {
    const annotations = { keep: 'this', seen: 'yes', gone: 'now' };
    const live = { ...wanted, metadata: { ...wanted.metadata, annotations }, inherited: ['keep', 'gone'] };
    const aligned = alignIngress(live, wanted);
    expect(aligned?.metadata?.annotations).toEqual({ keep: 'this', seen: 'yes' });
    expect(aligned).not.toHaveProperty('inherited');
    expect(alignIngress({ ...live, metadata: { ...aligned?.metadata } }, wanted)).toBeUndefined();
  });
});

describe('buildRoute()', () => {
  const routeOf = (cluster: RayCluster) => buildRoute(cluster, cluster.spec as RayClusterSpec);

  it('leads to the dashboard', () => {
    expect(routeOf(rayCluster('demo', enabled, withAnnotations({ a: 'b' })))).toMatchObject({
      apiVersion: 'route.openshift.io/v1',
      metadata: { name: 'demo-head-route', labels: front, annotations: { a: 'b' } },
      spec: {
        to: { kind: 'Service', name: 'demo-head-svc', weight: 100 },
        port: { targetPort: 8265 },
        wildcardPolicy: 'None',
      },
    });
  });

  it('keeps its host within one label, and its name valid', () => {
    const cluster = rayCluster(
      'a-long-name-for-a-cluster',
      enabled,
      withMetadata({ namespace: 'a-long-namespace-too' }),
    );
    expect(routeOf(cluster)?.metadata?.name).toBe('a-long-name-for-a-cluster-head');
  });

  it('is made only where it is wanted', () => {
    expect(routeOf(rayCluster('demo'))).toBeUndefined();
  });
});
