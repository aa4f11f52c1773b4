import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod, RayJob, Service } from '@manta/api';
import { buildHeadPod, buildWorkerPod } from '@manta/plan';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { observed } from '../../packages/plan/src/testing/observed.ts';

const text = readFileSync(join(import.meta.dirname, '../../samples/istio/rayjob.yaml'), 'utf8');
const [service, job] = parseAllDocuments(text).map((document) => document.toJS({ maxAliasCount: 10 })) as [
  Service,
  RayJob,
];

describe('samples/istio/rayjob.yaml', () => {
  const published = new Set(service.spec?.ports?.map(({ port }) => port));
  const spec = job.spec?.rayClusterSpec;
  if (spec === undefined) throw new Error('the sample has no RayCluster');
  const { context } = observed({});
  const cluster = { metadata: { name: 'mesh', namespace: 'default', uid: 'u' }, spec };
  const [group] = spec.workerGroupSpecs ?? [];
  if (group === undefined) throw new Error('the sample has no workers');
  const pods: readonly (readonly [string, Pod])[] = [
    ['head', buildHeadPod(cluster, spec, context)],
    ['worker', buildWorkerPod(cluster, spec, group, context)],
  ];

  it.each(pods)('%s: listens on ports that the Service publishes', (_, { spec: pod }) => {
    const [ray] = pod?.containers ?? [];
    const command = [...(ray?.command ?? []), ...(ray?.args ?? [])].join(' ');
    const ports = [...command.matchAll(/--([\w-]*port)=(\d+)/g)];
    expect(ports.length).toBeGreaterThan(7);
    expect(ports.filter(([, , port]) => !published.has(Number(port)))).toEqual([]);
    const declared = ray?.ports?.map(({ containerPort }) => containerPort) ?? [];
    // 8080 and 8000 are declared by default; nothing of the sample listens there.
    expect(declared.filter((port) => !published.has(port) && port !== 8080 && port !== 8000)).toEqual([]);
  });

  it.each(pods)('%s: is selected by the Service and gets a sidecar', (_, { metadata }) => {
    expect(metadata?.labels).toMatchObject({ ...service.spec?.selector, 'sidecar.istio.io/inject': 'true' });
  });

  it('publishes each port between the first and the last of the workers', () => {
    const { 'min-worker-port': first, 'max-worker-port': last } = spec.headGroupSpec.rayStartParams ?? {};
    for (let port = Number(first); port <= Number(last); port += 1) expect(published).toContain(port);
    expect(service.spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
  });
});
