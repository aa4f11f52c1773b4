import { describe, expect, it } from 'vitest';
import type { RayClusterSpec } from '../raycluster.ts';
import type { RayJobSpec } from '../rayjob.ts';
import type { RayServiceSpec } from '../rayservice.ts';
import { podTemplate, rayCluster, rayClusterSpec, rayJob, rayService, workerGroup } from '../testing/fixtures.ts';
import { warnAboutRayCluster, warnAboutRayJob, warnAboutRayService } from './admission-warnings.ts';

const cluster = (spec: Partial<RayClusterSpec>) => ({ ...rayCluster('demo'), spec: rayClusterSpec(spec) });
const job = (spec: Partial<RayJobSpec>, status = '') => {
  const base = rayJob('demo');
  return { ...base, spec: { ...base.spec, ...spec }, status: { jobDeploymentStatus: status as 'Running' } };
};
const service = (spec: Partial<RayServiceSpec>) => {
  const base = rayService('demo');
  return { ...base, spec: { rayClusterConfig: rayClusterSpec(), ...base.spec, ...spec } };
};

describe('a RayCluster', () => {
  it('without anything odd gets no warning', () => {
    expect(warnAboutRayCluster(cluster({ workerGroupSpecs: [workerGroup('small')] }))).toEqual([]);
  });

  it('hears that autoscaler settings need the autoscaler', () => {
    const spec = { autoscalerOptions: {}, workerGroupSpecs: [workerGroup('small', { idleTimeoutSeconds: 5 })] };
    expect(warnAboutRayCluster(cluster(spec))).toEqual([
      'spec.autoscalerOptions has no effect unless spec.enableInTreeAutoscaling is true',
      'spec.workerGroupSpecs[0].idleTimeoutSeconds has no effect unless spec.enableInTreeAutoscaling is true',
    ]);
    expect(warnAboutRayCluster(cluster({ ...spec, enableInTreeAutoscaling: true }))).toEqual([]);
  });

  it.each([
    ['fewer than allowed', { replicas: 1, minReplicas: 2 }, 'is 1, but minReplicas is 2: 2 will run'],
    ['more than allowed', { replicas: 9, maxReplicas: 3 }, 'is 9, but maxReplicas is 3: 3 will run'],
  ])('that asks for %s replicas hears how many will run', (_, group, text) => {
    const warnings = warnAboutRayCluster(cluster({ workerGroupSpecs: [workerGroup('small', group)] }));
    expect(warnings).toEqual([`spec.workerGroupSpecs[0].replicas ${text}`]);
  });

  const changed = { headGroupSpec: { rayStartParams: {}, template: podTemplate('ray-head', 'rayproject/ray:2.53.0') } };

  it('whose pods change hears that running ones stay', () => {
    expect(warnAboutRayCluster(cluster(changed), cluster({}))).toEqual([expect.stringContaining('stay as they are')]);
  });

  it('whose pods change hears that all end where it upgrades by Recreate', () => {
    const after = cluster({ ...changed, upgradeStrategy: { type: 'Recreate' } });
    expect(warnAboutRayCluster(after, cluster({}))).toEqual([expect.stringContaining('ended and made anew')]);
  });

  it('that is scaled hears nothing', () => {
    const scaled = (replicas: number) => cluster({ workerGroupSpecs: [workerGroup('small', { replicas })] });
    expect(warnAboutRayCluster(scaled(3), scaled(1))).toEqual([]);
  });
});

describe('a RayJob', () => {
  it.each([
    [
      'a submitter template without a submitter',
      { submissionMode: 'HTTPMode', submitterPodTemplate: podTemplate('x') },
    ],
    ['an entrypoint that nobody submits', { submissionMode: 'InteractiveMode', entrypoint: 'python x.py' }],
    [
      'a cluster of its own and a selector',
      { clusterSelector: { 'ray.io/cluster': 'a' }, rayClusterSpec: rayClusterSpec() },
    ],
    ['a mode that nobody knows', { submissionMode: 'HttpMode' as 'HTTPMode' }],
    [
      'metadata for a Ray that takes none',
      { metadata: { a: 'b' }, rayClusterSpec: rayClusterSpec({ rayVersion: '2.5.0' }) },
    ],
    [
      'metadata and a version that cannot be read',
      { metadata: { a: 'b' }, rayClusterSpec: rayClusterSpec({ rayVersion: 'nightly' }) },
    ],
  ] as const)('with %s is warned', (_, spec) => {
    expect(warnAboutRayJob(job(spec))).toHaveLength(1);
  });

  it.each([
    ['a Ray that takes it', { rayVersion: '2.6.0' }, 'K8sJobMode'],
    ['no version', { rayVersion: '' }, 'SidecarMode'],
    ['a submission by the operator itself', { rayVersion: '2.5.0' }, 'HTTPMode'],
  ] as const)('with metadata and %s is not warned', (_, spec, submissionMode) => {
    expect(
      warnAboutRayJob(job({ metadata: { a: 'b' }, submissionMode, rayClusterSpec: rayClusterSpec(spec) })),
    ).toEqual([]);
  });

  it('that has begun hears which edits come too late', () => {
    const warnings = warnAboutRayJob(job({ entrypoint: 'b' }, 'Running'), job({ entrypoint: 'a' }, 'Running'));
    expect(warnings).toEqual([expect.stringMatching(/^spec\.entrypoint changed, but this job has begun/)]);
    expect(warnAboutRayJob(job({ entrypoint: 'b' }), job({ entrypoint: 'a' }))).toEqual([]);
  });
});

describe('a RayService', () => {
  it('hears of thresholds that are no longer used', () => {
    expect(warnAboutRayService(service({ serviceUnhealthySecondThreshold: 1 }))).toEqual([
      'spec.serviceUnhealthySecondThreshold is no longer used and has no effect',
    ]);
  });

  it('hears what a changed cluster leads to', () => {
    const after = { rayClusterConfig: rayClusterSpec({ workerGroupSpecs: [workerGroup('more')] }) };
    expect(warnAboutRayService(service(after), service({}))).toEqual([expect.stringContaining('second cluster')]);
    const none = { ...after, upgradeStrategy: { type: 'None' } } as const;
    expect(warnAboutRayService(service(none), service({}))).toEqual([expect.stringContaining('stays as it is')]);
  });
});

it('nonsense gets no warning and does no harm', () => {
  for (const nonsense of [null, undefined, {}, { spec: null }, { spec: { workerGroupSpecs: [null] } }]) {
    expect(warnAboutRayCluster(nonsense, nonsense)).toEqual([]);
    expect(warnAboutRayJob({ spec: null }, null)).toEqual([]);
    expect(warnAboutRayService({ spec: null }, null)).toEqual([]);
  }
});
