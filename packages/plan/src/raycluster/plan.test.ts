import { defaultFeatureGates, type RayCluster, type RayClusterSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { planRayCluster } from './plan.ts';

const containers = [{ name: 'ray', image: 'rayproject/ray:2.52.0' }];
const head = { template: { spec: { containers } }, rayStartParams: {} };
const workers = {
  groupName: 'small',
  minReplicas: 0,
  maxReplicas: 2,
  template: { spec: { containers, restartPolicy: 'Always' } },
};

function plan(spec: Partial<RayClusterSpec>, rest: Partial<RayCluster> = {}) {
  const cluster: RayCluster = {
    metadata: { name: 'demo', namespace: 'ml' },
    ...rest,
    spec: { headGroupSpec: head, ...spec },
  };
  return planRayCluster({ cluster, gates: defaultFeatureGates(), installed: { certManager: false } });
}
const notes = (result: ReturnType<typeof plan>) =>
  result.actions.map(({ event }) => `${event.severity} ${event.reason} ${event.note}`);

describe('planRayCluster()', () => {
  it('has nothing to say of a valid cluster', () => {
    expect(plan({})).toEqual({ actions: [] });
  });

  it('leaves a cluster alone that somebody else manages, even an invalid one', () => {
    expect(plan({ managedBy: 'kueue.x-k8s.io/multikueue', headGroupSpec: { template: {} } })).toEqual({ actions: [] });
  });

  it('tells a wrong name, and then nothing else', () => {
    expect(
      notes(plan({ headGroupSpec: { template: {} } }, { metadata: { name: 'x'.repeat(54), namespace: 'ml' } })),
    ).toEqual([
      `Warning InvalidRayClusterMetadata The RayCluster metadata is invalid ml/${'x'.repeat(54)}: RayCluster name should be no more than 53 characters`,
    ]);
  });

  it('tells the first wrong thing in the spec', () => {
    expect(notes(plan({ headGroupSpec: { template: { spec: { containers: [] } } } }))).toEqual([
      'Warning InvalidRayClusterSpec The RayCluster spec is invalid ml/demo: headGroupSpec should have at least one container',
    ]);
  });

  it('warns of restart policies that the old autoscaler does not understand, and goes on', () => {
    const spec = {
      enableInTreeAutoscaling: true,
      autoscalerOptions: { version: 'v1' },
      workerGroupSpecs: [workers],
    } as const;
    expect(notes(plan(spec))).toEqual([
      'Warning InvalidRayClusterSpec RayCluster spec warning ml/demo: restartPolicy for worker groups [small] should be Never or unset when using autoscaler V1',
    ]);
  });

  it('refuses an upgrade strategy on a cluster that a RayService made', () => {
    const labels = { 'ray.io/originated-from-crd': 'RayService' };
    expect(
      notes(plan({ upgradeStrategy: { type: 'Recreate' } }, { metadata: { name: 'demo', namespace: 'ml', labels } })),
    ).toEqual([
      'Warning InvalidRayClusterSpec The RayCluster UpgradeStrategy is invalid ml/demo: upgradeStrategy cannot be set when RayCluster is created by RayService',
    ]);
  });

  it('refuses a status that contradicts itself', () => {
    const condition = { status: 'True', reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;
    const conditions = [
      { ...condition, type: 'RayClusterSuspending' },
      { ...condition, type: 'RayClusterSuspended' },
    ];
    expect(notes(plan({}, { status: { conditions } }))[0]).toMatch(
      /^Warning InvalidRayClusterStatus The RayCluster status is invalid ml\/demo, invalid RayCluster State:/,
    );
  });
});
