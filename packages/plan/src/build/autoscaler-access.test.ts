import type { RayCluster, RayClusterSpec } from '@manta/api';
import { rayCluster, withHead, withSpec } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { buildAutoscalerRole, buildAutoscalerRoleBinding, buildAutoscalerServiceAccount } from './autoscaler-access.ts';

const autoscaling = withSpec<RayCluster>({ enableInTreeAutoscaling: true });
const labels = {
  'ray.io/cluster': 'demo',
  'app.kubernetes.io/name': 'kuberay',
  'app.kubernetes.io/created-by': 'kuberay-operator',
};

function accessOf(cluster: RayCluster) {
  const spec = cluster.spec as RayClusterSpec;
  return {
    account: buildAutoscalerServiceAccount(cluster, spec),
    role: buildAutoscalerRole(cluster, spec),
    binding: buildAutoscalerRoleBinding(cluster, spec),
  };
}

describe('what lets the autoscaler work', () => {
  it('is an account, a role for pods and the cluster, and a binding', () => {
    const { account, role, binding } = accessOf(rayCluster('demo', autoscaling));
    for (const object of [account, role, binding]) {
      expect(object?.metadata).toMatchObject({ name: 'demo', namespace: 'default', labels });
      expect(object?.metadata?.ownerReferences).toHaveLength(1);
    }
    expect(role?.rules).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: [''], resources: ['pods/resize'], verbs: ['patch'] },
      { apiGroups: ['ray.io'], resources: ['rayclusters'], verbs: ['get', 'patch'] },
    ]);
    expect(binding?.subjects).toEqual([{ kind: 'ServiceAccount', name: 'demo', namespace: 'default' }]);
    expect(binding?.roleRef).toEqual({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'demo' });
  });

  it("binds an account of the user's own and makes none", () => {
    const template = { spec: { serviceAccountName: 'mine', containers: [{ name: 'ray' }] } };
    const { account, role, binding } = accessOf(rayCluster('demo', autoscaling, withHead({ template })));
    expect(account).toBeUndefined();
    expect(role).toBeDefined();
    expect(binding?.subjects?.[0]?.name).toBe('mine');
  });

  it('is not made without the autoscaler', () => {
    expect(accessOf(rayCluster('demo'))).toEqual({});
  });

  it('clips all names alike', () => {
    const { account, role, binding } = accessOf(rayCluster('x'.repeat(200), autoscaling));
    const clipped = 'x'.repeat(50);
    expect(account?.metadata?.name).toBe(clipped);
    expect(role?.metadata?.name).toBe(clipped);
    expect(binding).toMatchObject({
      metadata: { name: clipped },
      subjects: [{ name: clipped }],
      roleRef: { name: clipped },
    });
  });
});
