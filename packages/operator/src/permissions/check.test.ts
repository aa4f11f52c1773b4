import type { KubeClient } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { findMissingPermissions } from './check.ts';
import type { Permission } from './permission.ts';

const createPods: Permission = { verb: 'create', group: '', resource: 'pods', neededFor: 'pods' };
const patchStatus: Permission = {
  verb: 'patch',
  group: 'ray.io',
  resource: 'rayclusters',
  subresource: 'status',
  neededFor: 'ray.io resources',
};

/** A server that grants `rules` by RBAC in each namespace named, and `allowed` by another authorizer. */
function server(rules: Record<string, object[]>, allowed: string[] = []) {
  const asked: unknown[] = [];
  const client = {
    post: (
      path: string,
      body: { spec: { namespace?: string; resourceAttributes?: { verb: string; resource: string } } },
    ) => {
      asked.push(body.spec);
      if (path.endsWith('selfsubjectrulesreviews')) {
        const namespace = body.spec.namespace ?? '';
        return Promise.resolve({ status: { resourceRules: rules[namespace.length > 63 ? '*' : namespace] ?? [] } });
      }
      const { verb = '', resource = '' } = body.spec.resourceAttributes ?? {};
      return Promise.resolve({ status: { allowed: allowed.includes(`${verb} ${resource}`) } });
    },
  } as unknown as KubeClient;
  return { client, asked };
}

const podRule = { apiGroups: [''], resources: ['pods'], verbs: ['create'] };

describe('findMissingPermissions()', () => {
  it('asks once when everything is granted everywhere', async () => {
    const { client, asked } = server({ '*': [podRule] });
    expect(await findMissingPermissions(client, [createPods], [])).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it('does not take a grant in one namespace for a grant everywhere', async () => {
    const { client } = server({ default: [podRule] });
    expect(await findMissingPermissions(client, [createPods], [])).toEqual([createPods]);
  });

  it('believes another authorizer that grants what RBAC does not show', async () => {
    const { client } = server({}, ['create pods']);
    expect(await findMissingPermissions(client, [createPods, patchStatus], [])).toEqual([patchStatus]);
  });

  it('names the namespace in which a permission is missing', async () => {
    const { client } = server({ a: [podRule], b: [] });
    expect(await findMissingPermissions(client, [createPods], ['a', 'b'])).toEqual([{ ...createPods, namespace: 'b' }]);
  });

  it('asks for a subresource as the server wants it', async () => {
    const { client, asked } = server({});
    await findMissingPermissions(client, [patchStatus], []);
    expect(asked.at(-1)).toMatchObject({
      resourceAttributes: {
        verb: 'patch',
        group: 'ray.io',
        resource: 'rayclusters',
        subresource: 'status',
      },
    });
  });

  it('asks for what is wanted in one namespace only there, whatever is watched', async () => {
    const lease: Permission = {
      verb: 'update',
      group: 'coordination.k8s.io',
      resource: 'leases',
      namespace: 'ray-system',
      neededFor: 'leader election',
    };
    const leaseRule = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['update'] };
    const granted = server({ ml: [podRule], 'ray-system': [leaseRule] });
    expect(await findMissingPermissions(granted.client, [createPods, lease], ['ml'])).toEqual([]);
    const elsewhere = server({ ml: [podRule, leaseRule] });
    expect(await findMissingPermissions(elsewhere.client, [createPods, lease], ['ml'])).toEqual([lease]);
  });
});
