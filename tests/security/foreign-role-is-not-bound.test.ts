import type { RayCluster, Role } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { tenantTests } from './support/tenant.ts';

const tenant = tenantTests();

/** Somebody's Role with rights that the tenant does not have. */
const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }];

describe('a RayCluster with the autoscaler that is named like a Role', () => {
  it.each([
    ['without labels', {}],
    ['with the labels of the cluster', { 'ray.io/cluster': 'admin' }],
  ])('does not get the rights of a Role %s', async (_, labels) => {
    const { create, get, names, notes, until } = tenant();
    await create<Role>(resources.roles, { metadata: { name: 'admin', labels }, rules });
    const spec = rayClusterSpec({ enableInTreeAutoscaling: true });
    await create<RayCluster>(resources.rayClusters, { metadata: { name: 'admin' }, spec });
    // A binding ends the waiting, too: an operator that makes one fails for the binding and not for the missing event.
    const told = await until('the operator to report the Role or to bind it', async () => {
      const found = await notes('FailedToCreateRole');
      return found.length > 0 || (await names(resources.roleBindings)).length > 0 ? found : undefined;
    });
    await until('the head pod', async () => ((await names(resources.pods)).length > 0 ? true : undefined));
    expect(await names(resources.roleBindings)).toEqual([]);
    expect((await get<Role>(resources.roles, 'admin')).rules).toEqual(rules);
    expect(told[0]).toMatch(/Role \S+\/admin exists and is not controlled by RayCluster/);
  });

  it('binds the Role that it has created itself', async () => {
    const { create, get, names, until } = tenant();
    const spec = rayClusterSpec({ enableInTreeAutoscaling: true });
    const { metadata } = await create<RayCluster>(resources.rayClusters, { metadata: { name: 'own' }, spec });
    await until('the binding', async () => ((await names(resources.roleBindings)).length > 0 ? true : undefined));
    const role = await get<Role>(resources.roles, 'own');
    expect(role.metadata?.ownerReferences).toMatchObject([{ uid: metadata?.uid, controller: true }]);
  });
});
