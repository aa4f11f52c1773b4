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

const VARIANTS: readonly Variant[] = [
  { name: '0ms', latencyMs: 0, isHanging: false },
  { name: '20ms', latencyMs: 20, isHanging: false },
  { name: '100ms', latencyMs: 100, isHanging: false },
  { name: 'hanging', latencyMs: 20, isHanging: true },
];

/** By figure. */
type Result = Readonly<Record<string, number>>;

/** From nothing to a thousand jobs that are complete. */
export const thousandJobs: Scenario = {
  name: '1000-jobs',
  what: '1,000 RayJobs (HTTPMode, 30 s of work) on the real API server, with dashboards that take 0, 20 and 100 ms, and with 5 % that hang (and the peer)',
  async run({ scale = 1 } = {}): Promise<Measurement> {
    const count = Math.max(20, Math.round(JOBS * scale));
    const figures: Record<string, number> = { jobs: count };
    for (const operator of operators()) {
      for (const variant of VARIANTS) {
        const result = await onClusterStage({ readyMs: READY_MS }, (stage) => runJobs(stage, operator, variant, count));
        Object.assign(figures, prefixed(`${operator.name}.${variant.name}`, result));
      }
    }
    const of = (key: string) => figures[key] ?? Number.NaN;
    const added = of('manta.hanging.p99S') - of('manta.20ms.p99S');
    return {
      summary: VARIANTS.map(({ name }) => `${name} ${of(`manta.${name}.wallS`).toFixed(1)} s`).join(', '),
      figures,
      budgets: [
        {
          what: `hanging heads delay no healthy job (p99 ${added.toFixed(1)} s later)`,
          isKept: added < Math.max(3, 0.1 * of('manta.20ms.p99S')),
        },
        ...besidePeer(figures),
      ],
    };
  },
};

function besidePeer(figures: Readonly<Record<string, number>>): Measurement['budgets'] {
  const peer = figures['peer.20ms.wallS'];
  if (peer === undefined) return [];
  const ratio = (figures['manta.20ms.wallS'] ?? Number.NaN) / peer;
  return [{ what: `at most 0.55 times the peer's time (${ratio.toFixed(2)})`, isKept: ratio <= 0.55 }];
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

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
