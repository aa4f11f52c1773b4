import { resources } from '@manta/kube';
import type { Budget, Measurement, Scenario } from '../scenario.ts';
import { pause } from '../support/clients.ts';
import { type ClusterStage, onClusterStage } from '../support/cluster-stage.ts';
import { countWrites, percentile, prefixed } from '../support/figures.ts';
import { measureFloor } from '../support/floor.ts';
import { type Operator, operators, type RunningOperator, startOperator } from '../support/operators.ts';
import { benchCluster, benchClusters } from '../support/ray-clusters.ts';

const CLUSTERS = 1000;
const WORKERS = 3;
const READY_MS = 1000;
const QUIET_MS = 3000;
const WARM_UP = 5;

/** By figure. */
type Result = Readonly<Record<string, number>>;

/** From nothing to a thousand clusters that are ready. */
export const thousandClusters: Scenario = {
  name: '1000x3',
  what: '1,000 RayClusters of 3 workers to ready on the real API server, next to a driver that only writes (and the peer)',
  async run({ scale = 1 } = {}): Promise<Measurement> {
    const count = Math.max(10, Math.round(CLUSTERS * scale));
    const floorS = await measureFloor(benchClusters(count, WORKERS), READY_MS);
    const results = await onEach((stage, operator) => bringUp(stage, operator, count));
    const { manta = {}, peer } = results;
    const ratio = (manta['wallS'] ?? 0) / floorS;
    return {
      summary: `floor ${floorS.toFixed(1)} s; ${describe(results)}`,
      figures: { clusters: count, floorS, ...flat(results) },
      budgets: [
        { what: `within 1.15 times the floor (${ratio.toFixed(2)})`, isKept: ratio <= 1.15 },
        { what: 'fewer than 11 writes a cluster', isKept: (manta['writesPerCluster'] ?? 11) < 11 },
        ...besidePeer(manta, peer, { cpuS: 0.5, peakMiB: 0.5 }),
      ],
    };
  },
};

/** A new process where everything is as it should be: it writes nothing, and a new cluster does not wait. */
export const restart: Scenario = {
  name: 'restart-1000x3',
  what: 'a restart of the operator with 1,000 RayClusters of 3 workers: writes, and time to the first pod of a new one',
  async run({ scale = 1 } = {}): Promise<Measurement> {
    const count = Math.max(10, Math.round(CLUSTERS * scale));
    const results = await onEach((stage, operator) => bringUpAndRestart(stage, operator, count));
    const { manta = {}, peer } = results;
    return {
      summary: describe(results),
      figures: { clusters: count, ...flat(results) },
      budgets: [
        { what: 'no writes', isKept: manta['writes'] === 0 },
        { what: 'the first reconcile of a new cluster within 1.2 s', isKept: (manta['firstPodS'] ?? 9) < 1.2 },
        ...besidePeer(manta, peer, { peakMiB: 0.5 }),
      ],
    };
  },
};

const IDLE_MS = 6 * 60_000;

/** What it costs when nothing happens. */
export const idle: Scenario = {
  name: 'idle-1000x3',
  what: '1,000 RayClusters of 3 workers and 6 minutes in which nothing happens (1 minute where scaled down)',
  async run({ scale = 1 } = {}): Promise<Measurement> {
    const count = Math.max(10, Math.round(CLUSTERS * scale));
    const results = await onEach((stage, operator) =>
      bringUpAndRest(stage, operator, count, scale < 1 ? 60_000 : IDLE_MS),
    );
    const { manta = {}, peer } = results;
    return {
      summary: describe(results),
      figures: { clusters: count, ...flat(results) },
      budgets: [
        { what: 'no writes', isKept: manta['writes'] === 0 },
        { what: 'at most 1.7 s of CPU', isKept: (manta['cpuS'] ?? 9) <= 1.7 },
        ...besidePeer(manta, peer, { cpuS: 1 }),
      ],
    };
  },
};

/** One cluster that grows must not hold up small ones. */
export const wide: Scenario = {
  name: '500-wide',
  what: 'one RayCluster grows to 500 workers while 20 small ones are made',
  async run({ scale = 1 } = {}): Promise<Measurement> {
    const workers = Math.max(20, Math.round(500 * scale));
    const results = await onEach((stage, operator) => growWide(stage, operator, workers), 200);
    const { manta = {}, peer } = results;
    return {
      summary: describe(results),
      figures: { workers, ...flat(results) },
      budgets: [
        { what: 'small clusters ready within 0.7 s (p99)', isKept: (manta['p99S'] ?? 9) < 0.7 },
        ...besidePeer(manta, peer, { p99S: 1 }),
      ],
    };
  },
};

/** The same with each operator, on a stage of its own. */
async function onEach(
  work: (stage: ClusterStage, operator: Operator) => Promise<Result>,
  readyMs = READY_MS,
): Promise<Partial<Record<Operator['name'], Result>>> {
  const results: Partial<Record<Operator['name'], Result>> = {};
  for (const operator of operators())
    results[operator.name] = await onClusterStage({ readyMs }, (stage) => work(stage, operator));
  return results;
}

async function bringUp(stage: ClusterStage, operator: Operator, count: number): Promise<Result> {
  const running = await startOperator(stage.plane, operator);
  try {
    return await measureBringUp(stage, running, count);
  } finally {
    await running.stop();
  }
}

async function measureBringUp(stage: ClusterStage, running: RunningOperator, count: number): Promise<Result> {
  await warmUp(stage);
  await pause(QUIET_MS);
  const mark = await stage.plane.audit.mark();
  const cpuBefore = running.cpuSeconds();
  const startedAt = performance.now();
  const times = await stage.makeReady(benchClusters(count, WORKERS));
  const wallS = (performance.now() - startedAt) / 1000;
  await pause(QUIET_MS);
  const requests = await stage.requests(mark);
  return {
    wallS,
    p50S: percentile(times, 50),
    p99S: percentile(times, 99),
    cpuS: running.cpuSeconds() - cpuBefore,
    peakMiB: running.peakMiB(),
    writesPerCluster: countWrites(requests) / count,
    ...prefixed('requests', requests),
  };
}

async function warmUp(stage: ClusterStage): Promise<void> {
  await stage.makeReady(Array.from({ length: WARM_UP }, (_, at) => benchCluster(`warm-${at}`, 'marker', 1)));
}

async function bringUpAndRestart(stage: ClusterStage, operator: Operator, count: number): Promise<Result> {
  await bringUp(stage, operator, count);
  const mark = await stage.plane.audit.mark();
  const running = await startOperator(stage.plane, operator);
  try {
    await stage.makeReady([benchCluster('marker', 'marker', 0)]);
    const firstPodAt = stage.firstPodAt('marker-') ?? Number.NaN;
    await pause(QUIET_MS);
    const counts = await stage.requests(mark, ({ namespace }) => namespace !== 'marker');
    return {
      firstPodS: (firstPodAt - running.startedAt) / 1000,
      cpuS: running.cpuSeconds(),
      peakMiB: running.peakMiB(),
      writes: countWrites(counts),
      ...prefixed('requests', counts),
    };
  } finally {
    await running.stop();
  }
}

async function bringUpAndRest(stage: ClusterStage, operator: Operator, count: number, restMs: number): Promise<Result> {
  const running = await startOperator(stage.plane, operator);
  try {
    await measureBringUp(stage, running, count);
    await pause(10_000);
    const mark = await stage.plane.audit.mark();
    const cpuBefore = running.cpuSeconds();
    await pause(restMs);
    const requests = await stage.requests(mark);
    const cpuS = running.cpuSeconds() - cpuBefore;
    return { cpuS, peakMiB: running.peakMiB(), writes: countWrites(requests), ...prefixed('requests', requests) };
  } finally {
    await running.stop();
  }
}

async function growWide(stage: ClusterStage, operator: Operator, workers: number): Promise<Result> {
  const running = await startOperator(stage.plane, operator);
  try {
    await warmUp(stage);
    const big = benchCluster('big', 'bench-0', 0);
    await stage.makeReady([big]);
    const alone = await stage.makeReady([benchCluster('alone', 'bench-1', 0)]);
    await pause(QUIET_MS);
    const cpuBefore = running.cpuSeconds();
    const startedAt = performance.now();
    const body = [{ op: 'replace' as const, path: '/spec/workerGroupSpecs/0/replicas', value: workers }];
    await stage.client.patch(resources.rayClusters, { name: 'big', namespace: 'bench-0' }, { type: 'json', body });
    const grown = stage.when(big, ({ status }) => status?.readyWorkerReplicas === workers);
    const small = Array.from({ length: 20 }, (_, at) => benchCluster(`small-${at}`, `bench-${1 + (at % 9)}`, 0));
    const times = await stage.makeReady(small);
    const wallS = ((await grown) - startedAt) / 1000;
    const cpuS = running.cpuSeconds() - cpuBefore;
    return {
      wallS,
      aloneS: alone[0] ?? 0,
      p50S: percentile(times, 50),
      p99S: percentile(times, 99),
      cpuS,
      peakMiB: running.peakMiB(),
    };
  } finally {
    await running.stop();
  }
}

function describe(results: Partial<Record<string, Result>>): string {
  return Object.entries(results)
    .map(([name, result = {}]) => {
      const shown = Object.entries(result).filter(([key]) => !key.startsWith('requests.'));
      return `${name} ${shown.map(([key, value]) => `${key} ${value.toFixed(2)}`).join(', ')}`;
    })
    .join('; ');
}

function flat(results: Partial<Record<string, Result>>): Result {
  const entries = Object.entries(results).flatMap(([name, result = {}]) => Object.entries(prefixed(name, result)));
  return Object.fromEntries(entries);
}

/** Ratios to the peer in the same run, where it was measured. */
function besidePeer(
  manta: Result,
  peer: Result | undefined,
  most: Readonly<Record<string, number>>,
): readonly Budget[] {
  if (peer === undefined) return [];
  return Object.entries(most).map(([figure, share]) => {
    const ratio = (manta[figure] ?? Number.NaN) / (peer[figure] ?? Number.NaN);
    return { what: `${figure} at most ${share} times the peer's (${ratio.toFixed(2)})`, isKept: ratio <= share };
  });
}
