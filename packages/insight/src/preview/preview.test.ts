import type { RayClusterSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ago, readyPod, recorded, seen } from '../testing/recorded-world.ts';
import type { World } from '../world.ts';
import { preview } from './preview.ts';
import type { Manifest, ObjectPreview } from './types.ts';

const options = { parseYaml: (text: string): unknown => parse(text) };
const template = (image: string, cpu = '1') => ({
  spec: { containers: [{ name: 'ray', image, resources: { requests: { cpu, memory: '2Gi' } } }] },
});

function cluster(spec: Partial<RayClusterSpec> = {}, name = 'demo'): Manifest {
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name, namespace: 'team-a' },
    spec: {
      headGroupSpec: { template: template('rayproject/ray:2.52.0'), rayStartParams: {} },
      workerGroupSpecs: [group(2)],
      ...spec,
    },
  };
}

function group(replicas: number, more: object = {}) {
  return {
    groupName: 'gpu',
    replicas,
    minReplicas: 0,
    maxReplicas: 10,
    template: template('rayproject/ray:2.52.0', '4'),
    rayStartParams: {},
    ...more,
  };
}

function only(world: World, manifest: Manifest, mode: 'apply' | 'replace' = 'apply'): ObjectPreview {
  const [object] = preview(world, [manifest], { ...options, mode }).objects;
  if (object === undefined) throw new Error('nothing was previewed');
  return object;
}

const EMPTY = recorded({});

/** The cluster `demo` with a ready head and two ready workers that it controls. */
function running(spec: Partial<RayClusterSpec> = {}): World {
  const base = cluster(spec);
  const metadata = { name: 'demo', namespace: 'team-a', uid: 'uid-demo', generation: 1, creationTimestamp: ago(600) };
  const owner = { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'demo', uid: 'uid-demo', controller: true };
  const pod = (name: string, type: 'head' | 'worker', index?: number) => {
    const ready = readyPod(name, 'demo', type);
    const place = index === undefined ? {} : { 'ray.io/worker-group-replica-index': String(index) };
    return {
      ...ready,
      metadata: { ...ready.metadata, labels: { ...ready.metadata?.labels, ...place }, ownerReferences: [owner] },
      spec: template('rayproject/ray:2.52.0', type === 'head' ? '1' : '4').spec,
    };
  };
  return recorded({
    rayClusters: seen({ ...base, metadata }),
    pods: seen(pod('demo-head', 'head'), pod('demo-w0', 'worker', 0), pod('demo-w1', 'worker', 1)),
  });
}

describe('preview() of a RayCluster', () => {
  it('says what a new one creates and requests', () => {
    const shown = only(EMPTY, cluster());
    expect(shown).toMatchObject({
      verdict: 'create',
      problems: [],
      downtime: { kind: 'none' },
      ignored: [],
      pods: [
        { group: 'headgroup', created: 1, deleted: 0, replaced: 0 },
        { group: 'gpu', created: 2, deleted: 0, replaced: 0 },
      ],
      resources: [
        { resource: 'cpu', before: '0', peak: '9', after: '9' },
        { resource: 'memory', before: '0', peak: '6Gi', after: '6Gi' },
      ],
    });
    expect(shown.steps.map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        'create the head pod of RayCluster demo',
        'create 2 worker pods of group gpu in RayCluster demo',
      ]),
    );
  });

  it('ignores a status in the manifest', () => {
    const fresh = {
      apiVersion: 'ray.io/v1',
      kind: 'RayJob',
      metadata: { name: 'train', namespace: 'team-a' },
      spec: { entrypoint: 'python train.py', rayClusterSpec: cluster()['spec'] },
    };
    const status = { jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete', jobId: 'a', rayClusterName: 'train-a' };
    const shown = only(EMPTY, { ...fresh, status });
    expect(shown.pods).not.toEqual([]);
    expect(shown).toEqual(only(EMPTY, fresh));
  });

  it('has nothing to do for an unchanged one', () => {
    expect(only(running(), cluster())).toMatchObject({ verdict: 'nothing', changes: [], steps: [] });
  });

  it('counts additional pods and shows the peak of requests', () => {
    expect(only(running(), cluster({ workerGroupSpecs: [group(5)] }))).toMatchObject({
      verdict: 'change',
      changes: [{ path: 'spec.workerGroupSpecs[0].replicas', before: '2', after: '5' }],
      pods: [{ cluster: 'demo', group: 'gpu', created: 3, deleted: 0, replaced: 0, kept: 2 }],
      resources: [
        { resource: 'cpu', before: '9', peak: '21', after: '21' },
        { resource: 'memory', before: '6Gi', peak: '12Gi', after: '12Gi' },
      ],
      downtime: { kind: 'none' },
      ignored: [],
    });
  });

  it('says why pods are deleted', () => {
    const pods = (manifest: Manifest) => only(running(), manifest).pods;
    expect(pods(cluster({ workerGroupSpecs: [group(1)] }))).toMatchObject([
      { deleted: 1, kept: 1, why: 'replicas changes from 2 to 1' },
    ]);
    expect(pods(cluster({ workerGroupSpecs: [] }))).toMatchObject([
      { deleted: 2, kept: 0, why: 'the group is no longer in the spec' },
    ]);
    expect(pods(cluster({ workerGroupSpecs: [group(2, { suspend: true })] }))).toMatchObject([
      { deleted: 2, why: 'the group is suspended' },
    ]);
  });

  it('reports the end of service when the cluster is suspended', () => {
    expect(only(running(), cluster({ suspend: true }))).toMatchObject({
      pods: [
        { group: 'headgroup', deleted: 1, kept: 0, why: 'RayCluster demo is suspended' },
        { group: 'gpu', deleted: 2, kept: 0 },
      ],
      downtime: { kind: 'stopped' },
    });
  });

  it('names fields that existing pods ignore', () => {
    const image = { template: template('rayproject/ray:2.53.0', '4') };
    const path = 'spec.workerGroupSpecs[0].template.spec.containers[0].image';
    expect(only(running(), cluster({ workerGroupSpecs: [group(2, image)] }))).toMatchObject({
      verdict: 'change',
      pods: [],
      steps: [],
      ignored: [{ path, why: expect.stringContaining('existing pods keep the old value') }],
    });
    expect(only(running(), cluster({ workerGroupSpecs: [group(3, image)] })).ignored).toEqual([
      { path, isPartly: true, why: '2 existing pods keep the old value, only new pods get the new one' },
    ]);
  });

  it('replaces all pods with the strategy Recreate, and reports the interruption', () => {
    const spec = { upgradeStrategy: { type: 'Recreate' } } as const;
    const edited = cluster({
      ...spec,
      headGroupSpec: { template: template('rayproject/ray:2.53.0'), rayStartParams: {} },
    });
    expect(only(running(spec), edited)).toMatchObject({
      pods: [
        { group: 'gpu', replaced: 2, why: 'the spec changed and upgradeStrategy.type is Recreate' },
        { group: 'headgroup', replaced: 1 },
      ],
      downtime: { kind: 'interrupted' },
      ignored: [],
    });
  });

  it('rejects what the operator rejects', () => {
    const shown = only(running(), cluster({ workerGroupSpecs: [group(2), group(1)] }));
    expect(shown).toMatchObject({ verdict: 'reject', steps: [] });
    expect(shown.problems.length).toBeGreaterThan(0);
  });
});
