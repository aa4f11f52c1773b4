import type { ConfigMap, Namespace, Pod } from '@manta/api';
import {
  createKubeClient,
  createTransport,
  type KubeClient,
  loadConnection,
  resources,
  systemClock,
} from '@manta/kube';
import type { Measurement, Scenario } from '../scenario.ts';
import { type MeasuredServer, onBothServers } from '../support/api-servers.ts';
import { realisticPod } from '../support/pod.ts';
import { type RawReader, rawReader } from '../support/raw-reader.ts';

const PODS = 10_000;
const NAMESPACES = 10;
const IN_FLIGHT = 32;
const WATCHERS = 50;
const WATCHED_WRITES = 500;
const LISTS = 5;
const FAN_OUT_MS = 60_000;

interface Result {
  readonly writesPerSecond: number;
  readonly writeCpuMillis: number;
  readonly listMs: number;
  readonly listMiB: number;
  readonly eventsPerSecond: number;
  readonly bytesPerPod: number;
  readonly rssMiB: number;
}

/** What the embedded API server can carry, next to the real one in the same run. */
export const engineLoad: Scenario = {
  name: 'engine-load',
  what: `the embedded and the real API server: ${PODS} pods written and listed, ${WATCHERS} watchers, memory`,
  async run(): Promise<Measurement> {
    const { engine, real } = await onBothServers(measure);
    const figures = Object.entries({ engine, real }).flatMap(([server, result]) =>
      Object.entries(result).map(([name, value]): [string, number] => [`${server}.${name}`, value]),
    );
    return {
      summary: `embedded ${say(engine)}; real ${say(real)}`,
      figures: Object.fromEntries(figures),
      budgets: [
        { what: 'as many writes a second as the real one', isKept: engine.writesPerSecond >= real.writesPerSecond },
        { what: 'a list no slower than from the real one', isKept: engine.listMs <= real.listMs },
        { what: 'as many events a second as the real one', isKept: engine.eventsPerSecond >= real.eventsPerSecond },
        { what: 'less memory than the real one, etcd and controllers included', isKept: engine.rssMiB < real.rssMiB },
      ],
    };
  },
};

function say({ writesPerSecond, listMs, eventsPerSecond, bytesPerPod, rssMiB }: Result): string {
  const figures = [
    `${writesPerSecond.toFixed(0)} writes/s`,
    `list ${listMs.toFixed(0)} ms`,
    `${eventsPerSecond.toFixed(0)} events/s`,
    `${(bytesPerPod / 1024).toFixed(1)} KiB a pod`,
    `${rssMiB.toFixed(0)} MiB`,
  ];
  return figures.join(', ');
}

async function measure(server: MeasuredServer): Promise<Result> {
  const connection = await loadConnection({ kubeconfig: server.kubeconfig });
  const transport = createTransport({ connection, clock: systemClock });
  const client = createKubeClient({ transport, clock: systemClock });
  const reader = rawReader(server.kubeconfig);
  try {
    await prepare(client);
    const before = server.rssBytes();
    const written = await writePods(client, server);
    await pause(3_000);
    const after = server.rssBytes();
    const listed = await list(reader);
    const eventsPerSecond = await fanOut(client, reader);
    const rssMiB = server.rssBytes() / 2 ** 20;
    return { ...written, ...listed, eventsPerSecond, bytesPerPod: (after - before) / PODS, rssMiB };
  } finally {
    reader.close();
    await transport.close();
  }
}

/** Namespaces with service accounts in them; and enough writes that compilers and caches are warm. */
async function prepare(client: KubeClient): Promise<void> {
  for (let i = 0; i < NAMESPACES; i += 1) {
    const name = `team-${i}`;
    await client.create<Namespace>(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await pause(2_000);
  await each(1_000, (i) => client.create(resources.configMaps, configMap(`warm-${i}`)));
}

async function writePods(
  client: KubeClient,
  server: MeasuredServer,
): Promise<Pick<Result, 'writesPerSecond' | 'writeCpuMillis'>> {
  const cpu = server.cpuSeconds();
  const started = performance.now();
  await each(PODS, (i) => client.create(resources.pods, newPod(i)));
  const seconds = (performance.now() - started) / 1000;
  return { writesPerSecond: PODS / seconds, writeCpuMillis: (1000 * (server.cpuSeconds() - cpu)) / PODS };
}

async function list(reader: RawReader): Promise<Pick<Result, 'listMs' | 'listMiB'>> {
  const times: number[] = [];
  let size = 0;
  for (let i = 0; i < LISTS; i += 1) {
    const started = performance.now();
    size = await reader.bytes('/api/v1/pods');
    times.push(performance.now() - started);
  }
  return { listMs: times.toSorted((a, b) => a - b)[Math.floor(LISTS / 2)] ?? 0, listMiB: size / 2 ** 20 };
}

/** Events that reach watchers in a second, while one client writes as fast as it can. */
async function fanOut(client: KubeClient, reader: RawReader): Promise<number> {
  const { metadata } = await client.list(resources.configMaps, { namespace: 'default', limit: 1 });
  const path = `/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=${metadata.resourceVersion ?? ''}`;
  let complete = 0;
  const all = Promise.withResolvers<void>();
  const seen = () => {
    let isDone = false;
    return (events: number) => {
      if (isDone || events < WATCHED_WRITES) return;
      isDone = true;
      complete += 1;
      if (complete === WATCHERS) all.resolve();
    };
  };
  await Promise.all(Array.from({ length: WATCHERS }, () => reader.follow(path, seen())));
  const started = performance.now();
  await each(WATCHED_WRITES, (i) => client.create(resources.configMaps, configMap(`watched-${i}`)));
  await within(FAN_OUT_MS, all.promise, () => `only ${complete} of ${WATCHERS} watchers have seen every event`);
  return (WATCHERS * WATCHED_WRITES) / ((performance.now() - started) / 1000);
}

/** Rather an error than a run without end, should a watch have been lost. */
async function within(ms: number, work: Promise<void>, complaint: () => string): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(complaint())), ms);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function each(count: number, run: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      next += 1;
      await run(next - 1);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

function configMap(name: string): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: { text: 'x'.repeat(500) },
  };
}

/** A worker pod as the operator would create it, but without owner and node: what has none is collected as garbage while we measure. */
function newPod(i: number): Pod {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is one
  const { metadata, spec } = realisticPod(i) as Required<Pick<Pod, 'metadata' | 'spec'>>;
  const { name = '', namespace = '', labels = {} } = metadata;
  const { nodeName: _, ...rest } = spec;
  const initContainers = (spec.initContainers ?? []).map(
    ({ livenessProbe: _l, readinessProbe: _r, ...container }) => container,
  );
  const volumes = [...(spec.volumes ?? []), { name: 'shared-mem', emptyDir: { medium: 'Memory' } }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: { ...rest, initContainers, volumes },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
  });
}
