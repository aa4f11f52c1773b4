import { type HttpRouteLike, isGatewayReady, isHttpRouteReady, type KubeObject } from '@manta/api';
import {
  createKubeClient,
  createTransport,
  type KubeClient,
  loadConnection,
  type ResourceType,
  resources,
  systemClock,
} from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ask, startLoad } from './load.ts';
import { startPod, type TestPod } from './pods.ts';
import { type RouterProcess, startRouter } from './router-process.ts';
import { tlsTests } from './tls-suite.ts';

/** A cluster without the Gateway API, to which the suite belongs alone. */
export interface SuiteCluster {
  /** Of an administrator. */
  readonly kubeconfig: string;
  /** Of whoever the router is. */
  readonly routerKubeconfig: string;
  installGatewayApi(client: KubeClient): Promise<void>;
  /** Takes the API server away. */
  stopServer(): Promise<void>;
  stop(): Promise<void>;
}

type Loose = KubeObject & Record<string, unknown>;

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 50 });
const NAMESPACE = 'default';
const gatewayClasses: ResourceType = {
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  plural: 'gatewayclasses',
  kind: 'GatewayClass',
  isNamespaced: false,
};

/** The router as a process, on any cluster. The tests go on from each other: the last one takes the API server away. */
export function routerSuite(start: () => Promise<SuiteCluster>): void {
  let cluster: SuiteCluster;
  let client: KubeClient;
  let close = async () => {};
  let router: RouterProcess;
  const pods: TestPod[] = [];

  beforeAll(async () => {
    cluster = await start();
    const connection = await loadConnection({ kubeconfig: cluster.kubeconfig });
    const transport = createTransport({ connection, clock: systemClock });
    client = createKubeClient({ transport, clock: systemClock });
    close = () => transport.close();
    router = startRouter(cluster.routerKubeconfig);
  }, 120_000);
  afterAll(async () => {
    await router.stop('SIGKILL');
    await Promise.all(pods.map((pod) => pod.stop()));
    await close();
    await cluster.stop();
  });

  const port = () => router.port() ?? 0;
  const create = (type: ResourceType, object: Loose) => client.create(type, object);
  const pod = async (text: string) => {
    const started = await startPod(text);
    pods.push(started);
    return started;
  };
  const makeService = async (name: string, pods_: readonly TestPod[]) => {
    const ports = [{ name: 'serve', port: 8000 }];
    await create(resources.services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: NAMESPACE },
      spec: { ports },
    });
    for (const [index, one] of pods_.entries()) await makeSlice(name, index, one);
  };
  const makeSlice = (service: string, index: number, { address, port: podPort }: TestPod) =>
    create(resources.endpointSlices, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: `${service}-${index}`,
        namespace: NAMESPACE,
        labels: { 'kubernetes.io/service-name': service },
      },
      addressType: 'IPv4',
      ports: [{ name: 'serve', port: podPort }],
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
    });
  const backends = (weights: Readonly<Record<string, number>>) =>
    Object.entries(weights).map(([name, weight]) => ({ name, namespace: NAMESPACE, port: 8000, weight }));
  const makeRoute = (weights: Readonly<Record<string, number>>) =>
    create(resources.httpRoutes, {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: 'svc-httproute', namespace: NAMESPACE },
      spec: {
        parentRefs: [{ name: 'svc-gateway', namespace: NAMESPACE }],
        rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/' } }], backendRefs: backends(weights) }],
      },
    });
  const setWeights = (weights: Readonly<Record<string, number>>) =>
    client.patch(
      resources.httpRoutes,
      { name: 'svc-httproute', namespace: NAMESPACE },
      { type: 'json', body: [{ op: 'replace', path: '/spec/rules/0/backendRefs', value: backends(weights) }] },
    );
  const HOST = 'svc-gateway.default';
  const gateway = () => client.get(resources.gateways, { name: 'svc-gateway', namespace: NAMESPACE });
  const route = async () =>
    (await client.get(resources.httpRoutes, { name: 'svc-httproute', namespace: NAMESPACE })) as KubeObject &
      HttpRouteLike;

  describe('the router', () => {
    it('says what is missing where the Gateway API is not installed, and goes on by itself once it is', async () => {
      await eventually(() => expect(port()).toBeGreaterThan(0));
      const answer = await ask(port(), 'any');
      expect(answer.status).toBe(503);
      expect(answer.body).toMatch(/cannot see its routes: .*Gateway.*absent.*--install-crds/);
      await cluster.installGatewayApi(client);
      await eventually(async () => expect((await ask(port(), 'any')).status).toBe(404));
    });

    it('serves a RayService’s route by its weights, and says so', async () => {
      await create(resources.gateways, {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'Gateway',
        metadata: { name: 'svc-gateway', namespace: NAMESPACE },
        spec: { gatewayClassName: 'manta', listeners: [{ name: 'http', protocol: 'HTTP', port: 80 }] },
      });
      await makeService('a-serve-svc', [await pod('a')]);
      await makeRoute({ 'a-serve-svc': 100 });
      await eventually(async () => {
        const [held, heldRoute] = [await gateway(), await route()];
        expect(isGatewayReady(held)).toBe(true);
        expect(isHttpRouteReady(heldRoute, held)).toBe(true);
      });
      expect(await ask(port(), HOST)).toEqual({ status: 200, body: 'a' });
      expect(await ask(port(), 'whoever.example.com')).toEqual({ status: 200, body: 'a' });
      await makeService('b-serve-svc', [await pod('b')]);
      await setWeights({ 'a-serve-svc': 75, 'b-serve-svc': 25 });
      await eventually(async () => expect((await ask(port(), HOST)).body).toBe('b'));
      let count = 0;
      for (let i = 0; i < 40; i += 1) count += Number((await ask(port(), HOST)).body === 'b');
      expect(count).toBe(10);
    });

    it('makes its class and accepts it', async () => {
      await eventually(async () => {
        expect(await client.get(gatewayClasses, { name: 'manta' })).toMatchObject({
          spec: { controllerName: 'manta.ray.io/router' },
          status: { conditions: [{ type: 'Accepted', status: 'True' }] },
        });
      });
    });

    it('tells of a backend that is not there', async () => {
      await setWeights({ 'a-serve-svc': 50, 'gone-serve-svc': 50 });
      await eventually(async () => {
        const { status } = await route();
        expect(JSON.stringify(status)).toContain('default/gone-serve-svc:8000: the Service does not exist');
      });
      for (let i = 0; i < 4; i += 1) expect((await ask(port(), HOST)).body).toBe('a');
      await setWeights({ 'a-serve-svc': 100, 'b-serve-svc': 0 });
      await eventually(async () => expect(isHttpRouteReady(await route(), await gateway())).toBe(true));
    });

    tlsTests('svc-gateway', { client: () => client, port });

    it('loses no request under load while a version replaces the other and its endpoints go', async () => {
      const load = startLoad(port(), HOST);
      for (const weight of [20, 60, 100]) {
        await setWeights({ 'a-serve-svc': 100 - weight, 'b-serve-svc': weight });
        await load.more(100);
      }
      await setWeights({ 'b-serve-svc': 100 });
      await makeSlice('b-serve-svc', 1, await pod('b2'));
      await load.more(100);
      await client.delete(resources.endpointSlices, { name: 'a-serve-svc-0', namespace: NAMESPACE });
      await client.delete(resources.services, { name: 'a-serve-svc', namespace: NAMESPACE });
      await load.more(100);
      await client.delete(resources.endpointSlices, { name: 'b-serve-svc-0', namespace: NAMESPACE });
      await load.more(200);
      const { answers, failures } = await load.stop();
      expect(failures).toEqual([]);
      expect([...answers.keys()].toSorted()).toEqual(['a', 'b', 'b2']);
      expect((await ask(port(), HOST)).body).toBe('b2');
    });

    it('that starts again writes nothing that is written already, and ends in order when asked to', async () => {
      const versions = async () => [
        (await gateway()).metadata?.resourceVersion,
        (await route()).metadata?.resourceVersion,
      ];
      const before = await versions();
      expect(await router.stop()).toBe(0);
      router = startRouter(cluster.routerKubeconfig);
      await eventually(async () => expect((await ask(port(), HOST)).body).toBe('b2'));
      // A change of ours passes through it, so that it has looked at everything by then.
      await setWeights({ 'b-serve-svc': 100, 'c-serve-svc': 0 });
      await eventually(async () =>
        expect(JSON.stringify(await route())).toContain('c-serve-svc:8000: the Service does not exist'),
      );
      expect((await versions())[0]).toBe(before[0]);
    });

    it('goes on serving what it knows while the API server is away', async () => {
      await cluster.stopServer();
      await expect(gateway()).rejects.toThrow(/connect|refused|closed|socket/i);
      for (let i = 0; i < 5; i += 1) expect(await ask(port(), HOST)).toEqual({ status: 200, body: 'b2' });
    });
  });
}
