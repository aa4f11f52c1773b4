import type { RayJob } from '@manta/api';
import { BENCH_NAMESPACES, benchCluster } from './ray-clusters.ts';

/** Every so many-th head hangs where heads hang. */
const HANGING = 20;

/** So many jobs that the operator submits, spread over the namespaces. */
export function benchJobs(count: number): readonly RayJob[] {
  return Array.from({ length: count }, (_, at) => benchJob(at));
}

function benchJob(at: number): RayJob {
  const name = `j-${String(at).padStart(4, '0')}`;
  const namespace = BENCH_NAMESPACES[at % BENCH_NAMESPACES.length] ?? '';
  const { spec } = benchCluster(name, namespace, 1);
  return {
    metadata: { name, namespace },
    spec: {
      entrypoint: 'python work.py',
      submissionMode: 'HTTPMode',
      shutdownAfterJobFinishes: true,
      ...(spec === undefined ? {} : { rayClusterSpec: spec }),
    },
  };
}

/** Whether a head, by the name of its job or of its Service, is one of those that hang. */
export function hangs(name: string): boolean {
  return Number(/^j-(\d+)/.exec(name)?.[1] ?? 1) % HANGING === 0;
}
