import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FaultName } from './faults.ts';

/** Which seeds of which scenario. */
export interface Exploration {
  /** By name: a scenario itself cannot be handed to a thread. */
  readonly scenario: string;
  readonly faults?: readonly FaultName[] | undefined;
  readonly first: number;
  /** Without end unless told. */
  readonly count?: number | undefined;
  /** Default: as many as there are cores. */
  readonly threads?: number | undefined;
  /** Aborted: what has been played by then counts. */
  readonly stop?: AbortSignal | undefined;
  /** Told now and then how many seeds have been played. */
  readonly progress?: (played: number) => void;
}

export interface Explored {
  readonly played: number;
  /** The smallest seed that broke a promise, of those that were played. */
  readonly failed: number | undefined;
}

/** What a thread is told. */
export interface Share extends Pick<Exploration, 'scenario' | 'faults' | 'first' | 'count'> {
  readonly step: number;
}

/** What a thread tells. */
export type Report = { readonly played: number } | { readonly failed: number };

/** Plays seeds on all cores until one breaks a promise. Each seed is played as it would be alone. */
export async function exploreInParallel(exploration: Exploration): Promise<Explored> {
  const { first, count = Number.POSITIVE_INFINITY, threads = availableParallelism(), progress } = exploration;
  let played = 0;
  let failed: number | undefined;
  const workers = new Set<Worker>();
  const end = () => void Promise.all([...workers].map((worker) => worker.terminate()));
  exploration.stop?.addEventListener('abort', end, { once: true });
  const share = (at: number): Share => ({
    scenario: exploration.scenario,
    faults: exploration.faults,
    first: first + at,
    count: Math.ceil((count - at) / threads),
    step: threads,
  });
  const onReport = (report: Report) => {
    if ('played' in report) {
      played += report.played;
      progress?.(played);
      return;
    }
    failed = Math.min(failed ?? report.failed, report.failed);
    end();
  };
  await Promise.all(Array.from({ length: threads }, (_, at) => runThread(share(at), workers, onReport)));
  exploration.stop?.removeEventListener('abort', end);
  return { played, failed };
}

function runThread(share: Share, workers: Set<Worker>, onReport: (report: Report) => void): Promise<void> {
  const worker = new Worker(new URL('./explore-thread.ts', import.meta.url), {
    workerData: share,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  workers.add(worker);
  worker.on('message', onReport);
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => {
      workers.delete(worker);
      resolve();
    });
  });
}
