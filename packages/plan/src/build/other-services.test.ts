import type { ContainerPort, RayCluster, RayClusterSpec } from '@manta/api';
import { rayCluster, withAnnotations, withHead, withWorkerGroup } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { buildHeadlessService } from './headless-service.ts';
import { buildServeService, wantsServeService } from './serve-service.ts';

const spec = (cluster: RayCluster) => cluster.spec as RayClusterSpec;

describe('buildServeService()', () => {
  const serve = (ports: readonly ContainerPort[] | undefined, serviceType?: string) => {
    const containers = [{ name: 'ray', ...(ports === undefined ? {} : { ports }) }];
    const cluster = rayCluster(
      'demo',
      withHead({ template: { spec: { containers } }, ...(serviceType === undefined ? {} : { serviceType }) }),
    );
    return buildServeService(cluster, spec(cluster));
  };

  it('leads to every pod of the cluster, on the ports for serving only', () => {
    const ports = [
      { name: 'serve-grpc', containerPort: 9000 },
      { name: 'serve', containerPort: 8000 },
      { name: 'server', containerPort: 9001 },
    ];
    expect(serve(ports, 'NodePort')).toMatchObject({
      metadata: {
        name: 'demo-serve-svc',
        labels: {
          'ray.io/originated-from-cr-name': 'demo',
          'ray.io/originated-from-crd': 'RayCluster',
          'ray.io/serve': 'demo-serve',
        },
      },
      spec: {
        type: 'NodePort',
        selector: { 'ray.io/cluster': 'demo' },
        ports: [
          { name: 'serve', port: 8000 },
          { name: 'serve-grpc', port: 9000 },
        ],
      },
    });
  });

  it('uses the usual port where the head declares no ports at all', () => {
    expect(serve(undefined)?.spec?.ports).toEqual([{ name: 'serve', port: 8000 }]);
  });

  it('is not made where the head declares ports and none is for serving', () => {
    expect(serve([{ name: 'dashboard', containerPort: 8265 }])).toBeUndefined();
  });

  it.each([
    ['true', true],
    ['True', false],
    ['false', false],
  ])('is wanted by annotation %s: %s', (value, expected) => {
    expect(wantsServeService(rayCluster('demo', withAnnotations({ 'ray.io/enable-serve-service': value })))).toBe(
      expected,
    );
  });
});

describe('buildHeadlessService()', () => {
  it('is made as soon as one group has several hosts a replica', () => {
    const cluster = rayCluster('demo', withWorkerGroup('a'), withWorkerGroup('b', { numOfHosts: 4, replicas: 0 }));
    expect(buildHeadlessService(cluster, spec(cluster))).toMatchObject({
      metadata: { name: 'demo-headless', labels: { 'ray.io/headless-worker-svc': 'demo' } },
      spec: {
        type: 'ClusterIP',
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector: { 'ray.io/cluster': 'demo', 'ray.io/node-type': 'worker' },
      },
    });
  });

  it('is not made for groups of single hosts', () => {
    const cluster = rayCluster('demo', withWorkerGroup('a'));
    expect(buildHeadlessService(cluster, spec(cluster))).toBeUndefined();
  });
});
