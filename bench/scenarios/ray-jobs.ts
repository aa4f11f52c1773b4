import type { RayJob } from '@manta/api';
import { resources } from '@manta/kube';
import type { Measurement, Scenario } from '../scenario.ts';
import { startChild } from '../support/child.ts';
import { inParallel, pause } from '../support/clients.ts';
import { type ClusterStage, onClusterStage } from '../support/cluster-stage.ts';
import { countWrites, percentile, prefixed } from '../support/figures.ts';
import { type Operator, operators, startOperator } from '../support/operators.ts';
import { benchJobs, hangs } from '../support/ray-jobs.ts';
import { follow } from '../support/watched.ts';

const JOBS = 1000;
const WORK_MS = 30_000;
const READY_MS = 1000;
const GIVE_UP_MS = 15 * 60_000;
const WRITERS = 8;

interface Variant {
  readonly name: string;
  readonly latencyMs: number;
  readonly isHanging: boolean;
}

const USUAL: Variant = { name: '20ms', latencyMs: 20, isHanging: false };
const HANGING: Variant = { name: 'hanging', latencyMs: 20, isHanging: true };
const LATENCIES: readonly Variant[] = [
  { name: '0ms', latencyMs: 0, isHanging: false },
  { name: '100ms', latencyMs: 100, isHanging: false },
];

/** By figure. */
type Result = Readonly<Record<string, number>>;

/** From nothing to a thousand jobs that are complete. */
export const thousandJobs: Scenario = {
  name: '1000-jobs',
  what: '1,000 RayJobs (HTTPMode, 30 s of work) on the real API server, with dashboards that take 20 ms (and the peer)',
  async run(options): Promise<Measurement> {
    const figures = await measure([USUAL], options);
    const perJob = figures['manta.20ms.apiRequestsPerJob'] ?? Number.NaN;
    const budgets = [
      { what: `at most 15 requests a job (${perJob.toFixed(1)})`, isKept: perJob <= 15 },
      ...besidePeer(figures),
    ];
    return { summary: summaryOf([USUAL], figures), figures, budgets };
  },
};

/** The same where some heads accept requests and never answer. */
export const hangingHeads: Scenario = {
  name: '1000-jobs-hanging',
  what: 'the same without and with 5 % of the dashboards hanging',
  async run(options): Promise<Measurement> {
    const figures = await measure([USUAL, HANGING], options);
    const of = (variant: Variant) => figures[`manta.${variant.name}.p99S`] ?? Number.NaN;
    const added = of(HANGING) - of(USUAL);
    const what = `hanging heads delay no healthy job (p99 ${added.toFixed(1)} s later)`;
    const budgets = [{ what, isKept: added < Math.max(3, 0.1 * of(USUAL)) }];
    return { summary: summaryOf([USUAL, HANGING], figures), figures, budgets };
  },
};

/** The same with the quickest dashboards and with slow ones. */
export const slowHeads: Scenario = {
  name: '1000-jobs-latency',
  what: 'the same with dashboards that take 0 and 100 ms',
  async run(options): Promise<Measurement> {
    const figures = await measure(LATENCIES, options);
    return { summary: summaryOf(LATENCIES, figures), figures, budgets: [] };
  },
};

async function measure(variants: readonly Variant[], { scale = 1 }: { readonly scale?: number } = {}): Promise<Result> {
  const count = Math.max(20, Math.round(JOBS * scale));
  const figures: Record<string, number> = { jobs: count };
  for (const operator of operators()) {
    for (const variant of variants) {
      const result = await onClusterStage({ readyMs: READY_MS }, (stage) => runJobs(stage, operator, variant, count));
      console.log(`  ${operator.name}, ${variant.name}: ${(result['wallS'] ?? 0).toFixed(1)} s`);
      Object.assign(figures, prefixed(`${operator.name}.${variant.name}`, result));
    }
  }
  return figures;
}

function summaryOf(variants: readonly Variant[], figures: Result): string {
  const of = (key: string) => figures[key] ?? Number.NaN;
  return variants
    .map(({ name }) => {
      const [wallS, perJob] = [of(`manta.${name}.wallS`), of(`manta.${name}.apiRequestsPerJob`)];
      return `${name} ${wallS.toFixed(1)} s, ${perJob.toFixed(1)} requests a job`;
    })
    .join('; ');
}

function besidePeer(figures: Readonly<Record<string, number>>): Measurement['budgets'] {
  const peer = figures['peer.20ms.wallS'];
  if (peer === undefined) return [];
  const ratioOf = (figure: string) =>
    (figures[`manta.20ms.${figure}`] ?? Number.NaN) / (figures[`peer.20ms.${figure}`] ?? 0);
  const [time, cpu] = [ratioOf('wallS'), ratioOf('cpuS')];
  return [
    { what: `at most 0.55 times the peer's time (${time.toFixed(2)})`, isKept: time <= 0.55 },
    { what: `at most half its CPU (${cpu.toFixed(2)})`, isKept: cpu <= 0.5 },
  ];
}

async function runJobs(stage: ClusterStage, operator: Operator, variant: Variant, count: number): Promise<Result> {
  const args = [String(variant.latencyMs), String(WORK_MS), variant.isHanging ? 'hanging' : ''];
  const dashboards = startChild<{ readonly url: string }>('support/dashboards.ts', args);
  const { url } = await dashboards.first;
  process.env['HTTP_PROXY'] = url;
  process.env['NO_PROXY'] = '127.0.0.1,localhost';
  const running = await startOperator(stage.plane, operator);
  try {
    await pause(3000);
    const mark = await stage.plane.audit.mark();
    const cpuBefore = running.cpuSeconds();
    const startedAt = performance.now();
    const times = await complete(stage, benchJobs(count), variant);
    const wallS = (performance.now() - startedAt) / 1000;
    const requests = await stage.requests(mark);
    const asked = await tallyOf(url);
    return {
      wallS,
      p50S: percentile(times, 50),
      p99S: percentile(times, 99),
      cpuS: running.cpuSeconds() - cpuBefore,
      peakMiB: running.peakMiB(),
      dashboardRequestsPerJob: sum(asked) / count,
      apiRequestsPerJob: sum(requests) / count,
      apiWritesPerJob: countWrites(requests) / count,
      ...prefixed('perJob', eachDividedBy(requests, count)),
    };
  } finally {
    delete process.env['HTTP_PROXY'];
    await running.stop();
    await dashboards.stop();
  }
}

/** Makes the jobs, and waits for all but those whose heads hang; seconds from each creation to its end. */
async function complete(
  { client }: ClusterStage,
  jobs: readonly RayJob[],
  { isHanging }: Variant,
): Promise<readonly number[]> {
  const end = new AbortController();
  const endedAt = new Map<string, number>();
  const waiting = new Set(jobs.map(keyOf).filter((key) => !isHanging || !hangs(key.split('/')[1] ?? '')));
  const seen = follow(client, resources.rayJobs, end.signal, (job) => {
    if (job.status?.jobDeploymentStatus !== 'Complete' || endedAt.has(keyOf(job))) return;
    endedAt.set(keyOf(job), performance.now());
  });
  const createdAt = new Map<string, number>();
  await inParallel(jobs, WRITERS, async (job) => {
    await client.create(resources.rayJobs, job);
    createdAt.set(keyOf(job), performance.now());
  });
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while ([...waiting].some((key) => !endedAt.has(key))) {
    if (performance.now() > giveUpAt)
      throw new Error(`this takes too long: ${endedAt.size} of ${waiting.size} are complete`);
    await pause(100);
  }
  end.abort();
  await seen;
  return [...waiting].map((key) => ((endedAt.get(key) ?? 0) - (createdAt.get(key) ?? 0)) / 1000);
}

async function tallyOf(url: string): Promise<Readonly<Record<string, number>>> {
  const response = await fetch(`${url}/tally`);
  const counts: Readonly<Record<string, number>> = JSON.parse(await response.text());
  return counts;
}

function keyOf({ metadata }: RayJob): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}

/** What is asked for once in a while, and not for each job, is left out. */
function eachDividedBy(counts: Readonly<Record<string, number>>, by: number): Readonly<Record<string, number>> {
  const shares = Object.entries(counts).map(([key, count]) => [key, count / by] as const);
  return Object.fromEntries(shares.filter(([, share]) => share >= 0.1));
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
