import type { RayService } from '@manta/api';
import { resources } from '@manta/kube';
import type { Measurement, Scenario } from '../scenario.ts';
import { startChild } from '../support/child.ts';
import { inParallel, pause } from '../support/clients.ts';
import { type ClusterStage, onClusterStage } from '../support/cluster-stage.ts';
import { countWrites, percentile, prefixed } from '../support/figures.ts';
import { type Operator, operators, startOperator } from '../support/operators.ts';
import { BENCH_NAMESPACES, benchCluster } from '../support/ray-clusters.ts';
import { follow } from '../support/watched.ts';

const SERVICES = 100;
const LATENCY_MS = 20;
const DEPLOY_MS = 1000;
const READY_MS = 1000;
const SETTLE_MS = 20_000;
const IDLE_MS = 60_000;
const WRITERS = 8;
const GIVE_UP_MS = 4 * 60_000;

type Result = Readonly<Record<string, number>>;

/** From nothing to a hundred services that answer, a minute of nothing, and a new configuration for each. */
export const hundredServices: Scenario = {
  name: '100-services',
  what: '100 RayServices to ready on the real API server, a minute at rest, and one change of the Serve configuration each (and the peer)',
  async run({ scale = 1 } = {}): Promise<Measurement> {
    const count = Math.max(5, Math.round(SERVICES * scale));
    const figures: Record<string, number> = { services: count };
    for (const operator of operators()) {
      const pods = { readyMs: READY_MS, controllers: ['endpointslice-controller', 'garbage-collector-controller'] };
      const result = await onClusterStage(pods, (stage) => runServices(stage, operator, count));
      Object.assign(figures, prefixed(operator.name, result));
    }
    const of = (key: string) => figures[`manta.${key}`] ?? Number.NaN;
    return {
      summary: `ready after ${of('readyS').toFixed(1)} s, new configuration everywhere after ${of('changeS').toFixed(1)} s; at rest ${of('idleApiRequestsPerServiceMinute').toFixed(2)} API requests and ${of('idleRayRequestsPerServiceMinute').toFixed(0)} to Ray a service and minute`,
      figures,
      budgets: [{ what: 'at rest nothing is written', isKept: of('idleWrites') === 0 }, ...besidePeer(figures)],
    };
  },
};

function besidePeer(figures: Readonly<Record<string, number>>): Measurement['budgets'] {
  const peer = figures['peer.readyS'];
  if (peer === undefined) return [];
  const ratio = (figures['manta.readyS'] ?? Number.NaN) / peer;
  return [{ what: `ready no later than the peer's (${ratio.toFixed(2)})`, isKept: ratio <= 1 }];
}

async function runServices(stage: ClusterStage, operator: Operator, count: number): Promise<Result> {
  await stage.client.create(resources.nodes, { metadata: { name: 'node-1' } });
  await untilEndpointsWork(stage);
  const heads = startChild<{ readonly url: string }>('support/serve-heads.ts', [String(LATENCY_MS), String(DEPLOY_MS)]);
  const { url } = await heads.first;
  process.env['HTTP_PROXY'] = url;
  process.env['NO_PROXY'] = '127.0.0.1,localhost';
  const running = await startOperator(stage.plane, operator);
  try {
    await pause(3000);
    const first = await measured(stage, url, () => makeReady(stage, benchServices(count)));
    // Heads that come to take requests, and counts of endpoints, follow readiness by some seconds.
    await pause(SETTLE_MS);
    const cpuReady = running.cpuSeconds();
    const idle = await measured(stage, url, () => pause(IDLE_MS));
    const cpuIdle = running.cpuSeconds();
    const change = await measured(stage, url, () => reconfigure(stage, url, count));
    return {
      readyS: first.seconds,
      readyP50S: percentile(first.value, 50),
      readyP99S: percentile(first.value, 99),
      apiWritesPerService: first.writes / count,
      cpuReadyS: cpuReady,
      idleApiRequestsPerServiceMinute: idle.apiRequests / count,
      idleRayRequestsPerServiceMinute: idle.rayRequests / count,
      idleWrites: idle.writes,
      idleCpuS: cpuIdle - cpuReady,
      changeS: change.seconds,
      changeApiWritesPerService: change.writes / count,
      peakMiB: running.peakMiB(),
    };
  } finally {
    delete process.env['HTTP_PROXY'];
    await running.stop();
    await heads.stop();
  }
}

/** Kubernetes' own controllers take their time to begin, which is nobody's latency here. */
async function untilEndpointsWork({ client }: ClusterStage): Promise<void> {
  const metadata = { name: 'probe', namespace: 'marker' };
  await client.create(resources.services, { metadata, spec: { selector: { probe: 'probe' }, ports: [{ port: 80 }] } });
  await untilTrue(
    async () => (await client.list(resources.endpointSlices, { namespace: 'marker' })).items.length > 0,
    'no EndpointSlice comes',
  );
}

interface Measured<T> {
  readonly value: T;
  readonly seconds: number;
  readonly apiRequests: number;
  readonly writes: number;
  readonly rayRequests: number;
}

async function measured<T>(stage: ClusterStage, url: string, work: () => Promise<T>): Promise<Measured<T>> {
  const mark = await stage.plane.audit.mark();
  const rayBefore = sum(await askFor(url, '/tally'));
  const startedAt = performance.now();
  const value = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const requests = await stage.requests(mark);
  const rayRequests = sum(await askFor(url, '/tally')) - rayBefore;
  return { value, seconds, apiRequests: sum(requests), writes: countWrites(requests), rayRequests };
}

/** Seconds from each creation to its readiness. */
async function makeReady({ client }: ClusterStage, services: readonly RayService[]): Promise<readonly number[]> {
  const end = new AbortController();
  const readyAt = new Map<string, number>();
  const seen = follow(client, resources.rayServices, end.signal, (service) => {
    if (isReady(service) && !readyAt.has(keyOf(service))) readyAt.set(keyOf(service), performance.now());
  });
  const createdAt = new Map<string, number>();
  await inParallel(services, WRITERS, async (service) => {
    await client.create(resources.rayServices, service);
    createdAt.set(keyOf(service), performance.now());
  });
  await untilTrue(() => Promise.resolve(readyAt.size === services.length), `${readyAt.size} services are ready`);
  end.abort();
  await seen;
  return services.map((service) => ((readyAt.get(keyOf(service)) ?? 0) - (createdAt.get(keyOf(service)) ?? 0)) / 1000);
}

/** Changes them all; resolves when every head has what was asked for. */
async function reconfigure({ client }: ClusterStage, url: string, count: number): Promise<void> {
  await inParallel(benchServices(count), WRITERS, async ({ metadata }) => {
    const ref = { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' };
    const body = { spec: { serveConfigV2: serveConfig('second') } };
    await client.patch(resources.rayServices, ref, { type: 'merge', body });
  });
  await untilTrue(async () => (await askFor<number>(url, '/configured?marker=second')) === count, 'heads are behind');
}

function benchServices(count: number): readonly RayService[] {
  return Array.from({ length: count }, (_, at) => {
    const name = `s-${String(at).padStart(4, '0')}`;
    const namespace = BENCH_NAMESPACES[at % BENCH_NAMESPACES.length] ?? '';
    const { spec: rayClusterConfig } = benchCluster(name, namespace, 1);
    if (rayClusterConfig === undefined) throw new Error('a cluster without a spec serves nobody');
    return { metadata: { name, namespace }, spec: { serveConfigV2: serveConfig('first'), rayClusterConfig } };
  });
}

function serveConfig(word: string): string {
  return `applications:\n  - name: app\n    import_path: app:app\n    route_prefix: /\n    args: { word: ${word} }\n`;
}

function isReady({ status }: RayService): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

async function untilTrue(look: () => Promise<boolean>, otherwise: string): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (!(await look())) {
    if (performance.now() > giveUpAt) throw new Error(`this takes too long: ${otherwise}`);
    await pause(50);
  }
}

async function askFor<T = Readonly<Record<string, number>>>(url: string, path: string): Promise<T> {
  const response = await fetch(`${url}${path}`);
  const told: T = JSON.parse(await response.text());
  return told;
}

function keyOf({ metadata }: RayService): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
