import type { Pod, RayCluster, RayClusterSpec, WorkerGroupSpec } from '@manta/api';
import { rayCluster, withAnnotations, workerGroup } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../testing/build-context.ts';
import { buildHeadPod } from './head-pod.ts';
import { buildWorkerPod } from './worker-pod.ts';

const drained = buildContext({ env: { WORKER_DRAIN_SECONDS: '60' } });
const group = workerGroup('small');
const build = (cluster: RayCluster, context = drained, of: WorkerGroupSpec = group): Pod =>
  buildWorkerPod(cluster, cluster.spec as RayClusterSpec, of, context);
const endOf = ({ spec }: Pod) => ({
  grace: spec?.terminationGracePeriodSeconds,
  script: spec?.containers[0]?.lifecycle?.preStop?.exec?.command?.at(-1),
});
const withTemplate = (spec: object): WorkerGroupSpec => ({
  ...group,
  template: { spec: { containers: group.template.spec?.containers ?? [], ...spec } },
});

describe('a worker that goes', () => {
  it('ends as the template says unless somebody asks for more', () => {
    const { grace, script } = endOf(build(rayCluster('demo'), buildContext()));
    expect([grace, script]).toEqual([undefined, undefined]);
  });

  it('is drained by Ray within the time that the installation gives', () => {
    const { grace, script } = endOf(build(rayCluster('demo')));
    expect(grace).toBe(75);
    expect(script).toContain('ray drain-node');
    expect(script).toContain('--deadline-remaining-seconds 60');
  });

  it.each<[string, string, number | undefined]>([
    ['may take as long as its cluster says', '10', 25],
    ['is not drained where its cluster says so', '0', undefined],
    ['is drained as usual where its cluster says nothing sensible', 'soon', 75],
  ])('%s', (_, seconds, grace) => {
    expect(endOf(build(rayCluster('demo', withAnnotations({ 'ray.io/worker-drain-seconds': seconds })))).grace).toBe(
      grace,
    );
  });

  it('keeps the end that its template gives it', () => {
    const preStop = { exec: { command: ['true'] } };
    const containers = [{ name: 'ray', lifecycle: { preStop } }];
    expect(endOf(build(rayCluster('demo'), drained, withTemplate({ containers }))).script).toBe('true');
    const long = endOf(build(rayCluster('demo'), drained, withTemplate({ terminationGracePeriodSeconds: 600 })));
    expect(long.grace).toBe(600);
    expect(long.script).toContain('--deadline-remaining-seconds 60');
    const short = endOf(build(rayCluster('demo'), drained, withTemplate({ terminationGracePeriodSeconds: 5 })));
    expect(short).toEqual({ grace: 5, script: undefined });
  });

  it('is no head: that has nowhere to move its work to', () => {
    const cluster = rayCluster('demo');
    expect(endOf(buildHeadPod(cluster, cluster.spec as RayClusterSpec, drained)).script).toBeUndefined();
  });
});
