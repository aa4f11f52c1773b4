import { eventually, eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { configMap, ownedBy, patchType } from '../support/objects.ts';
import { configMaps, core } from '../support/paths.ts';
import { gone } from '../support/retry.ts';
import type { Case, KubeObject, Target } from '../support/target.ts';

/** An owner and a dependent that refers to it. */
async function family(t: Target, reference: object = {}, dependent: object = {}) {
  const namespace = await t.namespace();
  const owner = await t.must('POST', configMaps(namespace), configMap('owner'));
  const ownerReferences = [ownedBy(owner, { ...reference })];
  const child = await t.must('POST', configMaps(namespace), configMap('child', {}, { ownerReferences, ...dependent }));
  return { namespace, owner, child };
}

const remove = (t: Target, namespace: string, policy: string): Promise<KubeObject> =>
  t.must('DELETE', `${configMaps(namespace, 'owner')}?propagationPolicy=${policy}`);

export const cases: readonly Case[] = [
  {
    title: 'dependents go after their owner with Background',
    run: async (t) => {
      const { namespace } = await family(t);
      await remove(t, namespace, 'Background');
      expect((await t.request('GET', configMaps(namespace, 'owner'))).status).toBe(404);
      await gone(t, configMaps(namespace, 'child'));
    },
  },
  {
    title: 'dependents go before their owner with Foreground, where they block it',
    run: async (t) => {
      const { namespace } = await family(t, { blockOwnerDeletion: true }, { finalizers: ['example.com/hold'] });
      await remove(t, namespace, 'Foreground');
      await eventually('the dependent to be deleted', async () => {
        const child = await t.must('GET', configMaps(namespace, 'child'));
        return child.metadata.deletionTimestamp;
      });
      expect((await t.must('GET', configMaps(namespace, 'owner'))).metadata.finalizers).toEqual(['foregroundDeletion']);
      await t.must('PATCH', configMaps(namespace, 'child'), { metadata: { finalizers: null } }, patchType.merge);
      await gone(t, configMaps(namespace, 'child'));
      await gone(t, configMaps(namespace, 'owner'));
    },
  },
  {
    title: 'an owner does not wait with Foreground for dependents that do not block it',
    run: async (t) => {
      const { namespace } = await family(t, {}, { finalizers: ['example.com/hold'] });
      await remove(t, namespace, 'Foreground');
      await gone(t, configMaps(namespace, 'owner'));
      await t.must('PATCH', configMaps(namespace, 'child'), { metadata: { finalizers: null } }, patchType.merge);
      await gone(t, configMaps(namespace, 'child'));
    },
  },
  {
    title: 'dependents stay without their owner with Orphan',
    run: async (t) => {
      const { namespace } = await family(t);
      await remove(t, namespace, 'Orphan');
      await gone(t, configMaps(namespace, 'owner'));
      const child = await t.must('GET', configMaps(namespace, 'child'));
      expect(child.metadata).not.toHaveProperty('ownerReferences');
      expect(child.metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    title: 'a dependent of several owners stays while one of them does, and forgets the others',
    run: async (t) => {
      const { namespace, owner } = await family(t);
      const second = await t.must('POST', configMaps(namespace), configMap('second'));
      const ownerReferences = [ownedBy(owner), ownedBy(second)];
      await t.must('PATCH', configMaps(namespace, 'child'), { metadata: { ownerReferences } }, patchType.merge);
      await remove(t, namespace, 'Background');
      await eventuallyHolds(async () => {
        const child = await t.must('GET', configMaps(namespace, 'child'));
        expect(child.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['second']);
      });
      await t.must('DELETE', configMaps(namespace, 'second'));
      await gone(t, configMaps(namespace, 'child'));
    },
  },
  {
    title: 'grandchildren go, too',
    run: async (t) => {
      const { namespace, child } = await family(t);
      await t.must('POST', configMaps(namespace), configMap('grandchild', {}, { ownerReferences: [ownedBy(child)] }));
      await remove(t, namespace, 'Background');
      await gone(t, configMaps(namespace, 'grandchild'));
    },
  },
  {
    title: 'an object whose owner never was is collected',
    run: async (t) => {
      const namespace = await t.namespace();
      const owner = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'never', uid: '00000000-0000-4000-8000-000000000001' },
      };
      await t.must('POST', configMaps(namespace), configMap('child', {}, { ownerReferences: [ownedBy(owner)] }));
      await gone(t, configMaps(namespace, 'child'));
    },
  },
  {
    title: 'an owner of the same name with another uid is not the owner',
    run: async (t) => {
      const namespace = await t.namespace();
      const { metadata, ...rest } = await t.must('POST', configMaps(namespace), configMap('owner'));
      const stranger = { ...rest, metadata: { name: metadata.name, uid: '00000000-0000-4000-8000-000000000002' } };
      await t.must('POST', configMaps(namespace), configMap('child', {}, { ownerReferences: [ownedBy(stranger)] }));
      await gone(t, configMaps(namespace, 'child'));
    },
  },
  {
    title: 'an owner of another kind is found by its kind',
    run: async (t) => {
      const namespace = await t.namespace();
      const owner = await t.must('POST', core(namespace, 'secrets'), { metadata: { name: 'owner' } });
      await t.must('POST', configMaps(namespace), configMap('child', {}, { ownerReferences: [ownedBy(owner)] }));
      await t.must('DELETE', core(namespace, 'secrets', 'owner'));
      await gone(t, configMaps(namespace, 'child'));
    },
  },
  {
    title: 'a chain that blocks is worked off from its end with Foreground',
    run: async (t) => {
      const { namespace, child } = await family(t, { blockOwnerDeletion: true });
      const ownerReferences = [ownedBy(child, { blockOwnerDeletion: true })];
      await t.must('POST', configMaps(namespace), configMap('grandchild', {}, { ownerReferences }));
      await remove(t, namespace, 'Foreground');
      await gone(t, configMaps(namespace, 'owner'));
      expect((await t.request('GET', configMaps(namespace, 'grandchild'))).status).toBe(404);
      expect((await t.request('GET', configMaps(namespace, 'child'))).status).toBe(404);
    },
  },
];
