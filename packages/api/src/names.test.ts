import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGpuResourceKey } from './gpu.ts';
import { MaxNameLength } from './limits.ts';
import {
  checkLabel,
  checkName,
  checkRouteName,
  childNames,
  clusterObjectNames,
  pkiNames,
  podName,
  podNames,
  randomSuffix,
  serviceNames,
} from './names.ts';
import { isServePortName } from './ports.ts';

const LONG = 'ray-cluster-0000000000000000000000011111111122222233333333333333';

describe('shortening', () => {
  it.each([
    [
      '72fbcc7e-a661-4b18e-ca41-e903-fc3ae634b18e-lazer090scholar-director-s',
      'rca41-e903-fc3ae634b18e-lazer090scholar-director-s',
    ],
    [
      '--------566666--------444433-----------222222----------4444',
      'r6666--------444433-----------222222----------4444',
    ],
    ['acceptable-name-head-12345', 'acceptable-name-head-12345'],
    ['9', 'r'],
    ['', ''],
  ])('checkName keeps the end of %s', (name, expected) => {
    expect(checkName(name)).toBe(expected);
  });

  it('checkLabel keeps the last 63 characters and allows a leading digit', () => {
    expect(checkLabel(`-${'1'.repeat(62)}`)).toBe(`r${'1'.repeat(62)}`);
    expect(checkLabel(`x${'2'.repeat(63)}`)).toBe('2'.repeat(63));
  });

  it.each([
    ['cv-traffic-training-202402090958', 'cv-traffic-training-2024020909'],
    ['2-step-cv-training-network-revisited', 'r-step-cv-training-network-rev'],
  ])('checkRouteName keeps as much of %s as the namespace leaves room for', (name, expected) => {
    expect(checkRouteName(name, 'development-namespace')).toBe(expected);
  });

  it('checkRouteName still gives distinct names where the namespace leaves no room', () => {
    expect(checkRouteName('a-head-route', 'n'.repeat(63))).toBe('a-head-route');
  });

  it.each([
    ['ray-cluster-group-name-01', 'worker', true, 'ray-cluster-group-name-01-worker-'],
    [`${LONG}-group-name`, 'worker', true, 'ray-cluster-00000000000000000000000111111111222222-worker-'],
    [LONG, 'head', false, 'ray-cluster-00000000000000000000000111111111222222-head'],
    ['Upper-Case', 'head', true, 'upper-case-head-'],
  ] as const)('podName keeps the beginning of %s', (prefix, nodeType, isGenerateName, expected) => {
    expect(podName(prefix, nodeType, isGenerateName)).toBe(expected);
  });
});

describe('names of objects', () => {
  it.each([
    ['head pod', podNames.head('c'), 'c-head'],
    ['head pod prefix', podNames.headPrefix('c'), 'c-head-'],
    ['worker pod prefix', podNames.workerPrefix('c', 'g'), 'c-g-worker-'],
    ['identifier label', podNames.identifier('c', 'head'), 'c-head'],
    ['replica', podNames.replica('g', 'bcdfg'), 'g-bcdfg'],
    ['head Service', serviceNames.head('c'), 'c-head-svc'],
    ['head Service with a name of its own', serviceNames.head('c', 'mine'), 'mine'],
    ['head full name', serviceNames.headFqdn('c-head-svc', 'ns', 'cluster.local'), 'c-head-svc.ns.svc.cluster.local'],
    ['RAY_IP', serviceNames.rayIp('c-head-svc.ns.svc.cluster.local'), 'c-head-svc'],
    ['serve Service', serviceNames.serve('s'), 's-serve-svc'],
    ['serve label', serviceNames.serveLabel('s'), 's-serve'],
    ['headless Service', serviceNames.headlessWorkers('c'), 'c-headless'],
    ['Ingress', serviceNames.ingress('1c'), 'rc-head-ingress'],
    ['Route', serviceNames.route('c', 'ns'), 'c-head-route'],
    ['Gateway', serviceNames.gateway('s'), 's-gateway'],
    ['HTTPRoute', serviceNames.httpRoute('s'), 's-httproute'],
    ['ServiceAccount', clusterObjectNames.serviceAccount('c', ''), 'c'],
    ["the user's ServiceAccount", clusterObjectNames.serviceAccount('c', `1${'x'.repeat(60)}`), `1${'x'.repeat(60)}`],
    ['ServiceAccount of a cluster with a long name', clusterObjectNames.serviceAccount('x'.repeat(53)), 'x'.repeat(50)],
    ['Role', clusterObjectNames.role('c'), 'c'],
    ['auth Secret', clusterObjectNames.authSecret('c'), 'c'],
    ['GCS claim', clusterObjectNames.gcsClaim('c'), 'c-gcs-pvc'],
    ['Redis cleanup Job', clusterObjectNames.redisCleanupJob('c'), 'c-redis-cleanup'],
    ['NetworkPolicy of the head', clusterObjectNames.headNetworkPolicy('c'), 'c-head'],
    ['NetworkPolicy of a group', clusterObjectNames.workerNetworkPolicy('c', 'g'), 'c-workers-g'],
    ['Volcano PodGroup', clusterObjectNames.volcanoPodGroup('c'), 'ray-c-pg'],
    ['workload PodGroup', clusterObjectNames.wasPodGroup('c'), 'c-cluster'],
    ['CA Secret', pkiNames.caSecret('c', '0123456789abcdef'), 'c-ca-secret-01234567'],
    ['self-signed issuer', pkiNames.selfSignedIssuer('c'), 'ray-selfsigned-issuer-c'],
    ['RayCluster of a RayJob', childNames.rayCluster('j', 'bcdfg'), 'j-bcdfg'],
    ['submitter Job', childNames.submitterJob('j'), 'j'],
    ['RayJob of a RayCronJob', childNames.cronRayJob('n', 1_700_000_059_999), 'n-28333334'],
  ])('%s', (_, name, expected) => {
    expect(name).toBe(expected);
  });
});

const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const dnsName = (maxLength: number) =>
  fc.stringMatching(/^[a-z][-a-z0-9]*[a-z0-9]$/).map((name) => name.slice(0, maxLength).replace(/-+$/, ''));

describe('any valid name', () => {
  it('gives valid names of at most 63 characters to everything that is built from it', () => {
    fc.assert(
      fc.property(dnsName(MaxNameLength.RayCluster), dnsName(40), (cluster, namespace) => {
        const names = [
          podNames.head(cluster),
          serviceNames.head(cluster),
          serviceNames.serve(cluster),
          serviceNames.headlessWorkers(cluster),
          clusterObjectNames.role(cluster),
          clusterObjectNames.authSecret(cluster),
          serviceNames.ingress(cluster),
        ];
        expect(names.filter((name) => name.length > 63 || !LABEL.test(name))).toEqual([]);
        const route = serviceNames.route(cluster, namespace);
        expect(`${route}-${namespace}`.length).toBeLessThanOrEqual(63);
      }),
    );
  });

  it('leaves room in a RayJob and a RayCronJob for the names of what they make', () => {
    const day = 24 * 3600 * 1000;
    fc.assert(
      fc.property(dnsName(MaxNameLength.RayCronJob), fc.integer({ min: 0, max: 100_000 }), (cron, days) => {
        const job = childNames.cronRayJob(cron, days * day);
        expect(job.length).toBeLessThanOrEqual(MaxNameLength.RayJob);
        expect(childNames.rayCluster(job, 'bcdfg').length).toBeLessThanOrEqual(MaxNameLength.RayCluster);
      }),
    );
  });

  it('shortens any text to a fitting length, and never starts it with punctuation', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(checkName(text).length).toBeLessThanOrEqual(50);
        expect(checkLabel(text).length).toBeLessThanOrEqual(63);
        expect(checkName(text)).not.toMatch(/^[\p{P}\p{Nd}]/u);
        expect(checkLabel(text)).not.toMatch(/^\p{P}/u);
        expect(podName(text, 'worker', true).length).toBeLessThanOrEqual(58);
      }),
    );
  });

  it('gets random suffixes that spell no word', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 5, maxLength: 5 }),
        (dice) => {
          const rolls = dice.values();
          expect(randomSuffix(() => rolls.next().value ?? 0)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        },
      ),
    );
  });
});

describe('names with a meaning', () => {
  it.each([
    ['nvidia.com/gpu', true],
    ['amd.com/gpu', true],
    ['nvidia.com/mig-12g.128gb', true],
    ['x.nvidia.com/mig-1g.5gb', true],
    ['nvidia.com/gpu-mig-12g.128gb', false],
    ['nvidia.com/mig-1g.5gb.me', false],
    ['GPU', false],
    ['google.com/tpu', false],
  ])('%s is a GPU: %s', (key, expected) => {
    expect(isGpuResourceKey(key)).toBe(expected);
  });

  it.each([
    ['serve', true],
    ['serve-grpc', true],
    ['server', false],
    ['my-serve', false],
  ])('%s is a port of Ray Serve: %s', (name, expected) => {
    expect(isServePortName(name)).toBe(expected);
  });
});
