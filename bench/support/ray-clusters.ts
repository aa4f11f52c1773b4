import type { RayCluster } from '@manta/api';

const NAMESPACES = 10;

/** Where the clusters are. */
export const BENCH_NAMESPACES: readonly string[] = Array.from({ length: NAMESPACES }, (_, at) => `bench-${at}`);

const template = (cpu: string) => ({
  spec: {
    // Nobody schedules here.
    nodeName: 'node-1',
    containers: [
      { name: 'ray', image: 'rayproject/ray:2.52.0', resources: { limits: { cpu, memory: '1Gi' }, requests: { cpu } } },
    ],
  },
});

/** A cluster with one group of that many workers. */
export function benchCluster(name: string, namespace: string, workers: number): RayCluster {
  return {
    metadata: { name, namespace },
    spec: {
      rayVersion: '2.52.0',
      headGroupSpec: { rayStartParams: {}, template: template('1') },
      workerGroupSpecs: [
        {
          groupName: 'small',
          replicas: workers,
          minReplicas: 0,
          maxReplicas: 1000,
          rayStartParams: {},
          template: template('1'),
        },
      ],
    },
  };
}

/** So many clusters, spread over the namespaces. */
export function benchClusters(count: number, workers: number): readonly RayCluster[] {
  return Array.from({ length: count }, (_, at) =>
    benchCluster(`c-${String(at).padStart(4, '0')}`, BENCH_NAMESPACES[at % NAMESPACES] ?? '', workers),
  );
}

/** All its pods run, as it says itself. */
export function isClusterReady({ status }: RayCluster): boolean {
  const isProvisioned = status?.conditions?.some(
    ({ type, status: value }) => type === 'RayClusterProvisioned' && value === 'True',
  );
  return status?.state === 'ready' && isProvisioned === true;
}
