import type { KubeObject } from '@manta/api';
import type { ResourceType } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { createInformer } from './informer.ts';
import { silentLogger } from './logger.ts';
import { PRIORITY } from './priority-lanes.ts';
import { allOf, anyOf, changes, fromInformer, named, owner, type SourceOptions, urgentWhen } from './source.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';

const PODS: ResourceType = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true };
const ownedBy = (name: string, kind = 'RayCluster', apiVersion = 'ray.io/v1', controller = true) => [
  { apiVersion, kind, name, uid: 'u', controller },
];
const labelsOf = (object: KubeObject) => object.metadata?.labels;
const generationOf = (object: KubeObject) => object.metadata?.generation;

/** The keys that a source asks for while `act` happens, after `before` was there. */
async function keysDuring(
  options: SourceOptions<KubeObject>,
  before: readonly KubeObject[],
  act: (client: FakeClient) => Promise<unknown> = async () => undefined,
) {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  const informer = createInformer(
    { clock, client, random: Math.random, log: silentLogger },
    { type: PODS, project: (o) => o },
  );
  for (const object of before) await client.create(PODS, object);
  const stop = new AbortController();
  void informer.run(stop.signal);
  await clock.settle();
  const keys: string[] = [];
  fromInformer(informer, options).attach((key, priority) => keys.push(`${key} ${priority}`));
  const initial = keys.splice(0);
  await act(client);
  await clock.settle();
  stop.abort();
  return { initial, keys };
}

const patchMeta = (body: unknown) => (client: FakeClient) =>
  client.patch(PODS, { name: 'p', namespace: 'n' }, { type: 'merge', body });

describe('a source', () => {
  it('asks for what is already there at low priority, and for what happens at normal priority', async () => {
    const { initial, keys } = await keysDuring({}, [{ metadata: { name: 'p', namespace: 'n' } }], (client) =>
      client.delete(PODS, { name: 'p', namespace: 'n' }),
    );
    expect(initial).toEqual([`n/p ${PRIORITY.low}`]);
    expect(keys).toEqual([`n/p ${PRIORITY.normal}`]);
  });

  const owners = {
    'the controlling owner of the right kind': [ownedBy('c'), ['n/c -100']],
    'no owner of another kind': [ownedBy('c', 'RayJob'), []],
    'no owner of another group': [ownedBy('c', 'RayCluster', 'other.io/v1'), []],
    'an owner of another version of the group': [ownedBy('c', 'RayCluster', 'ray.io/v1alpha1'), ['n/c -100']],
    'no owner that does not control it': [ownedBy('c', 'RayCluster', 'ray.io/v1', false), []],
  } as const;
  it.each(Object.entries(owners))('by owner asks for %s', async (_title, [ownerReferences, expected]) => {
    const keys = owner<KubeObject>(
      { group: 'ray.io', kind: 'RayCluster' },
      (object) => object.metadata?.ownerReferences,
    );
    const { initial } = await keysDuring({ keys }, [{ metadata: { name: 'p', namespace: 'n', ownerReferences } }]);
    expect(initial).toEqual(expected);
  });

  it('asks for the old and the new owner when an object changes hands', async () => {
    const before = { metadata: { name: 'p', namespace: 'n', labels: { cluster: 'one' } } };
    const { keys } = await keysDuring(
      { keys: named('cluster', labelsOf) },
      [before],
      patchMeta({ metadata: { labels: { cluster: 'two' } } }),
    );
    expect(keys).toEqual(['n/one 0', 'n/two 0']);
  });

  const start = { metadata: { name: 'p', namespace: 'n', labels: { a: '1' } }, spec: { x: 1 } };
  const byLabels = changes(labelsOf);
  const byGeneration = changes(generationOf);
  const filters = {
    'labels, when labels changed': [byLabels, { metadata: { labels: { a: '2' } } }, 1],
    'labels, when annotations changed': [byLabels, { metadata: { annotations: { a: '2' } } }, 0],
    'the generation, when the spec changed': [byGeneration, { spec: { x: 2 } }, 1],
    'the generation, when labels changed': [byGeneration, { metadata: { labels: { a: '2' } } }, 0],
    'labels or generation, when labels changed': [
      anyOf(byLabels, byGeneration),
      { metadata: { labels: { a: '2' } } },
      1,
    ],
    'labels and generation, when labels changed': [
      allOf(byLabels, byGeneration),
      { metadata: { labels: { a: '2' } } },
      0,
    ],
  } as const;
  it.each(Object.entries(filters))('that looks at %s', async (_title, [when, body, expected]) => {
    const { keys } = await keysDuring({ when }, [start], patchMeta(body));
    expect(keys).toHaveLength(expected);
  });

  it('asks first for what was there at the start and nobody has looked after yet, where it is told how to know', async () => {
    const isUnserved = ({ after }: { readonly after?: KubeObject | undefined }) =>
      labelsOf(after ?? {})?.['new'] === 'yes';
    const priority = urgentWhen<KubeObject>(() => false, isUnserved);
    const pod = (name: string, labels = {}) => ({ metadata: { name, namespace: 'n', labels } });
    const there = [pod('p1'), pod('p2', { new: 'yes' })];
    const { initial } = await keysDuring({ priority }, there);
    expect(initial.toSorted()).toEqual([`n/p1 ${PRIORITY.low}`, `n/p2 ${PRIORITY.high}`]);
  });

  it('puts what a user changed before the noise', async () => {
    const priority = urgentWhen(byGeneration);
    expect((await keysDuring({ priority }, [start], patchMeta({ spec: { x: 2 } }))).keys).toEqual(['n/p 100']);
    expect((await keysDuring({ priority }, [start], patchMeta({ metadata: { labels: { z: '' } } }))).keys).toEqual([
      'n/p 0',
    ]);
    expect((await keysDuring({ priority }, [start])).initial).toEqual(['n/p -100']);
  });
});
