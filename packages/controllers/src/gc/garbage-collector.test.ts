import type { ConfigMap, OwnerReference } from '@manta/api';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Stored } from '../framework/cluster.ts';
import { configMaps, customResourceDefinitions, namespaces, nodes } from '../framework/kinds.ts';
import { SPACE, startTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { garbageCollector } from './garbage-collector.ts';

let test: TestCluster;

beforeEach(async () => {
  test = await startTestCluster();
  test.start(garbageCollector);
});

const reference = (owner: Stored<ConfigMap>, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  ...more,
});
const make = (name: string, ...ownerReferences: OwnerReference[]) =>
  test.create(configMaps, name, ownerReferences.length === 0 ? {} : { metadata: { ownerReferences } });
const remove = async (name: string, propagation: 'Background' | 'Foreground' | 'Orphan') => {
  await test.client.delete(configMaps, { name, namespace: SPACE }, { propagation });
  await test.settle();
};
const release = async (name: string) => {
  const body = { metadata: { finalizers: null } };
  await test.client.patch(configMaps, { name, namespace: SPACE }, { type: 'merge', body });
  await test.settle();
};
const held = (name: string, ...ownerReferences: OwnerReference[]) =>
  test.create(configMaps, name, { metadata: { finalizers: ['example.com/f'], ownerReferences } });

describe('the garbage collector', () => {
  it('deletes what a deleted object owned, and what that owned in turn', async () => {
    const owner = await make('owner');
    const child = await make('child', reference(owner));
    await make('grandchild', reference(child));
    await test.settle();
    expect(test.names(configMaps)).toEqual(['child', 'grandchild', 'owner']);
    await remove('owner', 'Background');
    expect(test.names(configMaps)).toEqual([]);
  });

  it('keeps an object as long as one owner is there, and forgets the owners that are gone', async () => {
    const one = await make('one');
    const two = await make('two');
    await make('child', reference(one), reference(two));
    await remove('one', 'Background');
    expect(test.get(configMaps, 'child').metadata.ownerReferences).toEqual([reference(two)]);
    await remove('two', 'Background');
    expect(test.names(configMaps)).toEqual([]);
  });

  it('deletes an object whose owner never was, or has another uid now', async () => {
    const here = await make('here');
    await make('orphan', reference(here, { name: 'nowhere' }));
    await make('impostor', reference(here, { uid: '22222222-2222-2222-2222-222222222222' }));
    await test.settle();
    expect(test.names(configMaps)).toEqual(['here']);
  });

  it('in the foreground keeps an owner until the dependents that block it are gone', async () => {
    const owner = await make('owner');
    await held('blocking', reference(owner, { blockOwnerDeletion: true }));
    await held('loose', reference(owner));
    await remove('owner', 'Foreground');
    expect(test.get(configMaps, 'owner').metadata).toMatchObject({
      finalizers: ['foregroundDeletion'],
      deletionTimestamp: expect.any(String),
    });
    expect(test.get(configMaps, 'blocking').metadata.deletionTimestamp).toBeDefined();
    expect(test.get(configMaps, 'loose').metadata.deletionTimestamp).toBeDefined();
    await release('blocking');
    expect(test.names(configMaps)).toEqual(['loose']);
  });

  it('in the foreground takes a whole tree from its leaves', async () => {
    const owner = await make('owner');
    const child = await make('child', reference(owner, { blockOwnerDeletion: true }));
    await held('leaf', reference(child, { blockOwnerDeletion: true }));
    await remove('owner', 'Foreground');
    expect(test.get(configMaps, 'child').metadata.finalizers).toEqual(['foregroundDeletion']);
    await release('leaf');
    expect(test.names(configMaps)).toEqual([]);
  });

  it('in the foreground leaves a dependent that has another owner, without the one that goes', async () => {
    const owner = await make('owner');
    const other = await make('other');
    await make('child', reference(owner, { blockOwnerDeletion: true }), reference(other));
    await remove('owner', 'Foreground');
    expect(test.names(configMaps)).toEqual(['child', 'other']);
    expect(test.get(configMaps, 'child').metadata.ownerReferences).toEqual([reference(other)]);
  });

  it('in the foreground gets out of a circle', async () => {
    const first = await make('first');
    const second = await make('second', reference(first, { blockOwnerDeletion: true }));
    await test.client.patch(configMaps, first.metadata, {
      type: 'merge',
      body: { metadata: { ownerReferences: [reference(second, { blockOwnerDeletion: true })] } },
    });
    await remove('first', 'Foreground');
    expect(test.names(configMaps)).toEqual([]);
  });

  it('orphans dependents when told to: they stay, without the owner', async () => {
    const owner = await make('owner');
    await make('child', reference(owner));
    await remove('owner', 'Orphan');
    expect(test.names(configMaps)).toEqual(['child']);
    expect(test.get(configMaps, 'child').metadata.ownerReferences).toBeUndefined();
  });

  it('deletes an object whose owner is in another namespace, and says so', async () => {
    await test.create(namespaces, 'far');
    const owner = await test.create(configMaps, 'owner', { metadata: { namespace: 'far' } });
    await make('child', reference(owner));
    await test.settle();
    expect(test.names(configMaps)).toEqual([]);
    expect(test.said()).toEqual([
      `Warning OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "default"`,
    ]);
  });

  it('keeps a cluster-scoped object that names an owner inside a namespace', async () => {
    const owner = await make('owner');
    await test.create(nodes, 'node-2', { metadata: { ownerReferences: [reference(owner)] } });
    await remove('owner', 'Background');
    expect(test.names(nodes)).toEqual(['node-1', 'node-2']);
  });

  it('keeps an object whose owner is of a kind that nobody serves, until somebody does', async () => {
    await make('child', { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'gone' });
    await test.settle();
    expect(test.names(configMaps)).toEqual(['child']);
    await test.create(customResourceDefinitions, 'widgets.example.com', {
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    await test.settle();
    expect(test.names(configMaps)).toEqual([]);
  });

  it('finds on its start what was left behind before', async () => {
    const late = await startTestCluster();
    const owner = await late.create(configMaps, 'owner');
    await late.create(configMaps, 'child', { metadata: { ownerReferences: [reference(owner)] } });
    await late.client.delete(configMaps, owner.metadata, { propagation: 'Background' });
    late.start(garbageCollector);
    await late.settle();
    expect(late.names(configMaps)).toEqual([]);
  });

  it('does nothing more once it is stopped', async () => {
    const other = await startTestCluster();
    const stop = other.start(garbageCollector);
    stop();
    await other.create(configMaps, 'child', {
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' }] },
    });
    await other.settle();
    expect(other.names(configMaps)).toEqual(['child']);
  });
});
