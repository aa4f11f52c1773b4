import { HEAD_PLACE, type PodRecord } from '@manta/plan';
import type { Informer, InformerChange } from '@manta/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { LastHolders } from './last-holders.ts';

let change: (change: Pick<InformerChange<PodRecord>, 'before' | 'after'>) => void;
let holders: LastHolders;

beforeEach(() => {
  const pods = { onChange: (listener: typeof change) => void (change = listener) };
  holders = new LastHolders(pods as unknown as Informer<PodRecord, 'cluster'>);
});

const pod = (fields: Partial<PodRecord> = {}) =>
  ({
    namespace: 'ml',
    cluster: 'demo',
    group: 'small',
    name: 'n1',
    uid: 'u1',
    owner: 'c1',
    replicaIndex: 2,
    ...fields,
  }) as PodRecord;

describe('LastHolders', () => {
  it.each<[string, Partial<PodRecord>, string]>([
    ['a worker by its index', {}, 'small/2'],
    ['a host by its replica and its own index', { replicaName: 'r', hostIndex: 1 }, 'small/2.1'],
    ['a worker without a number', { replicaIndex: undefined }, 'small/0'],
    ['a head', { head: {} as PodRecord['head'], group: 'headgroup' }, HEAD_PLACE],
  ])('remembers %s', (_, fields, place) => {
    change({ before: pod(fields) });
    expect([...holders.of('ml/demo', 'c1')]).toEqual([[place, { uid: 'u1', name: 'n1' }]]);
  });

  it('remembers a pod that was taken out of its place by a change of its labels', () => {
    change({ before: pod(), after: pod({ cluster: 'another' }) });
    expect(holders.of('ml/demo', 'c1').get('small/2')?.uid).toBe('u1');
  });

  it('remembers a pod of whose end the server has told before the cache', () => {
    holders.gone([pod()]);
    expect(holders.of('ml/demo', 'c1').get('small/2')?.uid).toBe('u1');
  });

  it('tells a cluster nothing of the workers of another that had its name', () => {
    change({ before: pod({ owner: 'c0' }) });
    expect(holders.of('ml/demo', 'c1').size).toBe(0);
  });

  it('keeps nothing of pods that come, change otherwise, or belong to a cluster that is forgotten', () => {
    change({ after: pod() });
    change({ before: pod(), after: pod({ phase: 'Running' }) });
    expect(holders.of('ml/demo', 'c1').size).toBe(0);
    change({ before: pod() });
    holders.forget('ml/demo');
    expect(holders.of('ml/demo', 'c1').size).toBe(0);
  });
});
