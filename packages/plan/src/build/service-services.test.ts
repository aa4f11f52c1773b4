import type { RayCluster, Service, ServicePort } from '@manta/api';
import { rayClusterSpec, rayService } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../testing/build-context.ts';
import { alignService } from './align-service.ts';
import {
  buildClusterServeService,
  buildServiceHeadService,
  buildServiceServeService,
  servePortOf,
} from './service-services.ts';

const ports = (...names: readonly string[]) => names.map((name, i) => ({ name, containerPort: 8000 + i }));

function cluster(containerPorts?: readonly { name: string; containerPort: number }[]): RayCluster {
  const container = { name: 'ray', image: 'ray', ...(containerPorts === undefined ? {} : { ports: containerPorts }) };
  const headGroupSpec = { template: { spec: { containers: [container] } } };
  return { metadata: { name: 'c', namespace: 'ml', uid: 'u' }, spec: rayClusterSpec({ headGroupSpec }) };
}

function serve(of: RayCluster, serveService?: Service): Service | undefined {
  const service = rayService('svc');
  const spec = { rayClusterConfig: rayClusterSpec(), ...(serveService === undefined ? {} : { serveService }) };
  return buildServiceServeService(service, spec, of);
}

const names = (service: Service | undefined) => service?.spec?.ports?.map(({ name, port }) => `${name}:${port}`);

describe('the serve Service of a RayService', () => {
  it('leads to pods of the cluster that may serve', () => {
    expect(serve(cluster())).toMatchObject({
      metadata: {
        name: 'svc-serve-svc',
        labels: {
          'ray.io/originated-from-cr-name': 'svc',
          'ray.io/originated-from-crd': 'RayService',
          'ray.io/serve': 'svc-serve',
        },
      },
      spec: { selector: { 'ray.io/cluster': 'c', 'ray.io/serve': 'true' }, ports: [{ name: 'serve', port: 8000 }] },
    });
  });

  it.each<[string, readonly string[] | undefined, readonly ServicePort[] | undefined, readonly string[] | undefined]>([
    [
      'every serve port of the head',
      ['serve', 'serve-grpc', 'dashboard'],
      undefined,
      ['serve:8000', 'serve-grpc:8001'],
    ],
    ['nothing where the head has none', ['dashboard', 'server'], undefined, undefined],
    ['the usual one where the head names no ports', undefined, undefined, ['serve:8000']],
    ['the user’s number for a port that the head has', ['serve'], [{ name: 'serve', port: 12345 }], ['serve:12345']],
    ['no port that only the user has', ['serve'], [{ name: 'serve-grpc', port: 9 }], ['serve:8000']],
    [
      'all that the user has where the head has none',
      ['dashboard'],
      [
        { name: 'x', port: 1 },
        { name: 'y', port: 2 },
      ],
      ['x:1', 'y:2'],
    ],
  ])('offers %s', (_, head, own, expected) => {
    const of = cluster(head === undefined ? undefined : ports(...head));
    expect(names(serve(of, own === undefined ? undefined : { spec: { ports: own } }))).toEqual(expected);
  });

  it('keeps what the user says, but for namespace, selector and our labels', () => {
    const own = {
      metadata: {
        name: 'mine',
        namespace: 'elsewhere',
        labels: { a: 'b', 'ray.io/serve': 'x' },
        annotations: { n: '1' },
      },
      spec: { type: 'LoadBalancer', selector: { app: 'x' }, ports: [{ name: 'serve', port: 1, appProtocol: 'h2c' }] },
    } as const;
    expect(serve(cluster(), own)).toMatchObject({
      metadata: {
        name: 'mine',
        namespace: 'default',
        labels: { a: 'b', 'ray.io/serve': 'svc-serve' },
        annotations: { n: '1' },
      },
      spec: {
        type: 'LoadBalancer',
        selector: { 'ray.io/cluster': 'c', 'ray.io/serve': 'true' },
        ports: [{ name: 'serve', port: 1, appProtocol: 'h2c' }],
      },
    });
  });
});

describe('other Services of a RayService', () => {
  it('one for each cluster that shares the traffic, owned by that cluster', () => {
    const service = buildClusterServeService(cluster());
    expect(service?.metadata).toMatchObject({
      name: 'c-serve-svc',
      ownerReferences: [{ kind: 'RayCluster', name: 'c', uid: 'u' }],
      labels: { 'ray.io/originated-from-cr-name': 'c', 'ray.io/originated-from-crd': 'RayService' },
    });
    expect(buildClusterServeService(cluster(ports('dashboard')))).toBeUndefined();
  });

  it('one for the head of whichever cluster serves', () => {
    const service = buildServiceHeadService(rayService('svc'), cluster(), buildContext());
    expect(service.metadata).toMatchObject({
      name: 'svc-head-svc',
      labels: { 'ray.io/identifier': 'svc-head', 'ray.io/node-type': 'head' },
    });
    expect(service.spec).toMatchObject({ clusterIP: 'None', selector: { 'ray.io/cluster': 'c' } });
  });

  it('know the port that is named serve, or the usual one', () => {
    expect(servePortOf(cluster([{ name: 'serve', containerPort: 9000 }]))).toBe(9000);
    expect(servePortOf(cluster())).toBe(8000);
  });
});

describe('a Service that is there', () => {
  const wanted = serve(cluster());
  if (wanted === undefined) throw new Error('no service');
  const ours = {
    ...wanted.metadata,
    ownerReferences: [{ controller: true, uid: 'o', apiVersion: '', kind: '', name: '' }],
  };
  const live: Service = {
    ...wanted,
    metadata: { ...ours, labels: { ...ours.labels, theirs: 'x' } },
    spec: { ...wanted.spec, clusterIP: '10.0.0.1', type: 'ClusterIP', sessionAffinity: 'None' },
  };

  it('is left alone when it says all that is wanted, in whatever order', () => {
    expect(alignService(live, wanted)).toBeUndefined();
  });

  it.each(['labels', 'annotations'] as const)('is given %s without a value, too', (kind) => {
    const withEmpty = { ...wanted, metadata: { ...wanted.metadata, [kind]: { 'x/y': '' } } };
    expect(alignService(live, withEmpty)?.metadata?.[kind]).toMatchObject({ 'x/y': '' });
  });

  it('is led elsewhere and keeps its address and what others have added', () => {
    const elsewhere = serve({ ...cluster(), metadata: { name: 'd', namespace: 'ml' } });
    const next = alignService(live, elsewhere ?? {});
    expect(next?.spec).toMatchObject({ clusterIP: '10.0.0.1', selector: { 'ray.io/cluster': 'd' } });
    expect(next?.metadata?.labels).toMatchObject({ theirs: 'x' });
  });

  it('is left alone when the user writes out what is off anyway, which the API server does not keep', () => {
    const own: Service = {
      metadata: { annotations: {} },
      spec: {
        publishNotReadyAddresses: false,
        externalIPs: [],
        externalName: '',
        ports: [{ name: 'serve', port: 8000, nodePort: 0, appProtocol: '' }],
      },
    };
    expect(alignService(live, serve(cluster(), own) ?? {})).toBeUndefined();
    const open = serve(cluster(), { spec: { publishNotReadyAddresses: true } });
    expect(alignService(live, open ?? {})?.spec).toMatchObject({ publishNotReadyAddresses: true });
  });

  it('is left alone when the user’s port leads to 0, which is how Go programs write that it leads to its own number', () => {
    const named = { spec: { ports: [{ name: 'serve', port: 8000, targetPort: 0 }] } };
    const asked = serve(cluster(), named) ?? {};
    const made = { ...live, spec: { ...live.spec, ports: [{ name: 'serve', port: 8000, targetPort: 8000 }] } };
    expect(alignService(made, asked)).toBeUndefined();
  });

  it('whose selector says more than is wanted is put right', () => {
    const narrow = { ...live, spec: { ...live.spec, selector: { ...wanted.spec?.selector, extra: 'x' } } };
    expect(alignService(narrow, wanted)?.spec?.selector).toEqual(wanted.spec?.selector);
  });
});
