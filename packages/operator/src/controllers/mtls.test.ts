import { X509Certificate } from 'node:crypto';
import {
  defaultFeatureGates,
  type KubeObject,
  type Pod,
  type RayCluster,
  readOperatorEnv,
  type Secret,
} from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { createMetricsRegistry, type EventInput, silentLogger } from '@manta/runtime';
import { FakeClient, FakeClock, seededRandom } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPkiCache, type PkiCache, PkiStates, pkiInformers } from '../observe/pki-cache.ts';
import { createRayClusterCache, optionalInformers, requiredInformers } from '../observe/ray-cluster-cache.ts';
import { installedIn } from './cluster-parts.ts';
import { createMtlsController } from './mtls.ts';
import { createRayClusterController } from './raycluster.ts';

const DAY_MS = 86_400_000;
let clock: FakeClock;
let client: FakeClient;
let events: EventInput[];
let stop: AbortController;

beforeEach(() => {
  clock = new FakeClock();
  client = new FakeClient({ clock });
  events = [];
  stop = new AbortController();
});
afterEach(() => stop.abort());

async function start(issuedBy: PkiCache['issuedBy']): Promise<void> {
  const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
  const cache = createRayClusterCache(world, { namespaces: [], hasClaims: false, hasRoutes: false });
  const pki = createPkiCache(world, issuedBy, []);
  const gates = { ...defaultFeatureGates(), RayClusterMTLS: true };
  const facts = {
    kubernetes: [1, 36, 0],
    gitVersion: 'v1.36.0',
    isOpenShift: false,
    hasCertManager: issuedBy === 'cert-manager',
    workloadSchedulingVersion: undefined,
  } as const;
  const common = {
    context: { env: readOperatorEnv({}), gates, operatorVersion: '0.1.0', podDefaults: {} },
    events: { event: (input: EventInput) => void events.push(input) },
    cache,
    concurrency: 4,
  };
  const controllers = [
    createRayClusterController(world, { ...common, facts, pki: { cache: pki, states: new PkiStates(pki, client) } }),
    createMtlsController(world, { ...common, pki, installed: installedIn(facts, pki) }),
  ];
  const informers = [...requiredInformers(cache), ...optionalInformers(cache), ...pkiInformers(pki)];
  for (const informer of informers) void informer.run(stop.signal);
  for (const controller of controllers) void controller.run(stop.signal, new AbortController().signal);
  await clock.advance(100);
}

const apply = () =>
  client.create<RayCluster>(resources.rayClusters, {
    metadata: { name: 'demo', namespace: 'ml' },
    spec: rayClusterSpec({
      tlsOptions: { enabled: true },
      workerGroupSpecs: [workerGroup('small', { replicas: 2 })],
      gcsFaultToleranceOptions: { redisAddress: 'redis:6379' },
    }),
  });

const pods = async () => (await client.list<Pod>(resources.pods, { namespace: 'ml' })).items;
const certificateOf = async (name: string) => {
  const { data } = await client.get<Secret>(resources.secrets, { namespace: 'ml', name });
  return new X509Certificate(Buffer.from(data?.['tls.crt'] ?? '', 'base64'));
};

/** What kubelets do: pods get addresses and run, those that are deleted go. */
async function run(): Promise<void> {
  for (const [i, pod] of (await pods()).entries()) {
    if (pod.status?.phase === 'Running') continue;
    const conditions = [{ type: 'Ready', status: 'True' }];
    const status = { phase: 'Running', podIP: `10.0.${clock.now() % 250}.${i + 1}`, conditions };
    const body = { ...pod, status } as Pod;
    await client.update<Pod>(resources.pods, body, { subresource: 'status' });
  }
  await clock.advance(3000);
}

describe('certificates that the operator issues', () => {
  it('are there before the pods, and name them as they come', async () => {
    await start('operator');
    await apply();
    await clock.advance(10_000);
    expect(await pods()).toHaveLength(3);
    await run();
    const head = await certificateOf('ray-head-secret-demo');
    const worker = await certificateOf('ray-worker-secret-demo');
    const [ip = ''] = (await pods()).flatMap((pod) =>
      pod.metadata?.labels?.['ray.io/node-type'] === 'head' ? (pod.status?.podIP ?? []) : [],
    );
    expect(head.checkIP(ip)).toBe(ip);
    expect(head.checkHost('demo-head-svc.ml.svc.cluster.local')).toBeDefined();
    expect(worker.subjectAltName?.match(/IP Address:10\./g)).toHaveLength(2);
    const ca = new X509Certificate(await authority());
    for (const leaf of [head, worker]) expect(leaf.checkIssued(ca) && leaf.verify(ca.publicKey)).toBe(true);
  });

  it('are renewed before they end, and pods follow one by one, the head last', async () => {
    await start('operator');
    await apply();
    await clock.advance(10_000);
    await run();
    const before = await certificateOf('ray-worker-secret-demo');
    const first = new Set((await pods()).map(({ metadata }) => metadata?.uid));
    await clock.advance(2000);
    await age('ray-worker-secret-demo');
    await age('ray-head-secret-demo');
    await clock.advance(2000);
    const after = await certificateOf('ray-worker-secret-demo');
    expect(after.serialNumber).not.toBe(before.serialNumber);
    const left: number[] = [];
    for (let step = 0; step < 5; step += 1) {
      left.push((await pods()).filter(({ metadata }) => first.has(metadata?.uid)).length);
      await run();
    }
    expect(left).toEqual([2, 1, 0, 0, 0]);
    expect(await pods()).toHaveLength(3);
    const restarted = events
      .filter(({ note }) => note.includes('TLS certificate was renewed'))
      .map(({ reason }) => reason);
    expect(restarted).toEqual(['DeletedWorkerPod', 'DeletedWorkerPod', 'DeletedHeadPod']);
  });

  it('say what is wrong where somebody has put something else into the Secret of the authority', async () => {
    await start('operator');
    await apply();
    await clock.advance(10_000);
    const { items } = await client.list<Secret>(resources.secrets, { namespace: 'ml' });
    const ca = items.find(({ metadata }) => metadata?.name?.startsWith('demo-ca-secret-')) ?? {};
    await client.update<Secret>(resources.secrets, { ...ca, data: { 'tls.crt': 'bm9uc2Vuc2U=' } });
    await run();
    expect(events.map(({ note }) => note)).toContainEqual(
      expect.stringMatching(
        /^Failed to reconcile mTLS head certificate: the Secret demo-ca-secret-\S+ does not hold a certificate authority with its key: delete it/,
      ),
    );
  });

  it('say so where somebody else has a Secret of that name', async () => {
    const metadata = { name: 'ray-head-secret-demo', namespace: 'ml' };
    await client.create<Secret>(resources.secrets, { metadata });
    await start('operator');
    await apply();
    await clock.advance(10_000);
    expect(events).toContainEqual(
      expect.objectContaining({
        reason: 'MTLSFailedToReconcile',
        note: expect.stringMatching(/^Failed to reconcile mTLS head certificate: .*ray-head-secret-demo/),
      }),
    );
    expect(await pods()).toEqual([]);
  });

  /** Lets a certificate run out in ten days, as far as is written on it. */
  async function age(name: string): Promise<void> {
    const secret = await client.get<Secret>(resources.secrets, { namespace: 'ml', name });
    const end = new Date(clock.now() + 10 * DAY_MS).toISOString();
    const annotations = { ...secret.metadata?.annotations, 'ray.io/tls-not-after': end };
    await client.update<Secret>(resources.secrets, { ...secret, metadata: { ...secret.metadata, annotations } });
  }

  async function authority(): Promise<Buffer> {
    const { items } = await client.list<Secret>(resources.secrets, { namespace: 'ml' });
    const ca = items.find(({ metadata }) => metadata?.name?.startsWith('demo-ca-secret-'));
    return Buffer.from(ca?.data?.['tls.crt'] ?? '', 'base64');
  }
});

describe('certificates that cert-manager issues', () => {
  const certificates = async () => (await client.list<KubeObject>(resources.certificates, { namespace: 'ml' })).items;

  /** What cert-manager does. */
  async function issue(
    data: Record<string, string> = { 'tls.crt': 'YQ==', 'tls.key': 'Yg==', 'ca.crt': 'Yw==' },
    revision = 1,
  ) {
    for (const whose of ['head', 'worker']) {
      const annotations = { 'cert-manager.io/certificate-name': `ray-${whose}-cert-demo` };
      const metadata = { name: `ray-${whose}-secret-demo`, namespace: 'ml', annotations };
      await client.create<Secret>(resources.secrets, { metadata, data });
    }
    for (const certificate of await certificates()) {
      const { generation } = certificate.metadata ?? {};
      const status = { conditions: [{ type: 'Ready', status: 'True', observedGeneration: generation }], revision };
      await client.update(resources.certificates, { ...certificate, status } as KubeObject, { subresource: 'status' });
    }
    await clock.advance(10_000);
  }

  it('are waited for, and their Secrets go with them', async () => {
    await start('cert-manager');
    await apply();
    await clock.advance(60_000);
    expect(await certificates()).toHaveLength(3);
    expect(await pods()).toEqual([]);
    await issue();
    expect(await pods()).toHaveLength(3);
    const { metadata } = await client.get<Secret>(resources.secrets, { namespace: 'ml', name: 'ray-head-secret-demo' });
    expect(metadata?.ownerReferences).toMatchObject([{ kind: 'Certificate', name: 'ray-head-cert-demo' }]);
    const told = events.filter(({ reason }) => reason.startsWith('MTLS')).map(({ reason }) => reason);
    expect(told).toEqual(['MTLSCertsNotReady', 'MTLSPKIReady']);
  });

  it('own also the Secrets that take the place of lost ones', async () => {
    await start('cert-manager');
    await apply();
    await clock.advance(10_000);
    await issue();
    for (const name of ['ray-head-secret-demo', 'ray-worker-secret-demo'])
      await client.delete(resources.secrets, { namespace: 'ml', name });
    await issue(undefined, 2);
    const { items } = await client.list<Secret>(resources.secrets, { namespace: 'ml' });
    expect(items.map(({ metadata }) => metadata?.ownerReferences?.[0]?.kind)).toEqual(['Certificate', 'Certificate']);
  });

  it('must be complete', async () => {
    await start('cert-manager');
    await apply();
    await clock.advance(10_000);
    await issue({ 'tls.crt': 'YQ==', 'tls.key': 'Yg==' });
    expect(await pods()).toEqual([]);
  });
});
