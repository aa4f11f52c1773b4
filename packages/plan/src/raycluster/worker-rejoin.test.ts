import type { Condition } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { group, headPod, NOW, type ObservedOptions, observed, worker } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';
import { rayClusterNeeds } from './needs.ts';
import { planRayCluster } from './plan.ts';
import { REJOIN_MS } from './worker-rejoin.ts';

const head = headPod({ createdAt: NOW - 70_000, podIP: '10.0.0.9' });
const first = worker(0, { podIP: '10.0.0.1', createdAt: NOW - 90_000 });
const second = worker(1, { podIP: '10.0.0.2', createdAt: NOW - 90_000 });
const spec = { workerGroupSpecs: [group({ replicas: 2 })] };
const node = (ip: string, isAlive = true) => ({ ip, isAlive, isHead: false });
const answer = (...nodes: readonly ReturnType<typeof node>[]) =>
  new Map([[head.uid, [{ ip: head.podIP, isHead: true, isAlive: true }, ...nodes]]]);
const told = (status: Condition['status'], ageMs: number): ObservedOptions['status'] => ({
  conditions: [
    {
      type: 'WorkersRejoined',
      status,
      reason: 'x',
      message: '',
      lastTransitionTime: new Date(NOW - ageMs).toISOString(),
    },
  ],
});
const replaced: ObservedOptions = { spec, pods: [head, first, second] };

const asked = (options: ObservedOptions) => rayClusterNeeds(observed(options), 0).nodeListsOf.map(({ name }) => name);

function verdict(options: ObservedOptions): Partial<Condition> | undefined {
  const status = planRayCluster(observed(options)).statusAfter?.({ kind: 'done' });
  const conditions = (status ?? options.status)?.conditions;
  return conditions?.find(({ type }) => type === 'WorkersRejoined');
}

describe('Ray is asked for its nodes', () => {
  it.each<[string, ObservedOptions, readonly string[]]>([
    ['while workers are older than their head', replaced, [head.name]],
    ['not while all workers are younger', { spec, pods: [head, worker(0), worker(1)] }, []],
    ['not before the head is a minute old', { ...replaced, now: NOW - 11_000 }, []],
    ['not when all were seen to have joined this head', { ...replaced, status: told('True', 10_000) }, []],
    ['when they had joined an earlier head', { ...replaced, status: told('True', 80_000) }, [head.name]],
    ['not before the head has an address', { ...replaced, pods: [{ ...head, podIP: '' }, first] }, []],
    ['not when the older ones have not even begun', { spec, pods: [head, { ...first, phase: 'Pending' }] }, []],
    [
      'not for ever',
      {
        ...replaced,
        pods: [
          { ...head, createdAt: NOW - 4_000_000 },
          { ...first, createdAt: NOW - 5_000_000 },
        ],
      },
      [],
    ],
    ['not when the cluster is to be suspended', { ...replaced, spec: { ...spec, suspend: true } }, []],
    ['not when the cluster goes', { ...replaced, metadata: { deletionTimestamp: '2026-08-01T11:59:00Z' } }, []],
    [
      'of both heads where there are two',
      { spec, pods: [head, { ...head, name: 'b', uid: 'b' }] },
      [head.name, 'b'].toSorted(),
    ],
    ['of neither of two heads while one has no address', { spec, pods: [head, { ...head, name: 'b', podIP: '' }] }, []],
  ])('%s', (_, options, expected) => {
    expect(asked(options).toSorted()).toEqual(expected);
  });
});

describe('after the head was replaced', () => {
  it('the cluster is looked at again when it is time to ask', () => {
    expect(planRayCluster(observed({ ...replaced, now: NOW - 30_000 })).requeueAfterMs).toBe(20_000);
  });

  it('nothing is said before Ray has answered', () => {
    expect(verdict(replaced)).toBeUndefined();
  });

  it.each<[string, ObservedOptions, Partial<Condition>]>([
    [
      'what was said of an earlier head becomes unknown',
      { ...replaced, status: told('True', 80_000) },
      { status: 'Unknown', reason: 'HeadPodReplaced' },
    ],
    [
      'it is said how many have not joined',
      { ...replaced, rayNodes: answer(node('10.0.0.1'), node('10.0.0.2', false)) },
      {
        status: 'False',
        reason: 'WorkersNotRejoined',
        message: '1 of 2 workers have joined the new head Pod demo-head-abcde',
      },
    ],
    [
      'and that all have',
      { ...replaced, rayNodes: answer(node('10.0.0.1'), node('10.0.0.2')) },
      { status: 'True', message: '2 of 2 workers have joined the new head Pod' },
    ],
    [
      'and that those were replaced that had not',
      {
        spec,
        pods: [head, worker(0, { createdAt: NOW }), worker(1, { createdAt: NOW })],
        status: told('False', 20_000),
      },
      { status: 'True', reason: 'WorkersReplaced' },
    ],
  ])('%s', (_, options, expected) => {
    expect(verdict(options)).toMatchObject(expected);
  });

  it('the time of those that have not joined begins with the answer of this head, not of an earlier one', () => {
    const again = { ...replaced, status: told('False', 80_000), rayNodes: answer() };
    expect(verdict(again)?.lastTransitionTime).toBe('2026-08-01T12:00:00Z');
    expect(plan(again)).toEqual([]);
    expect(planRayCluster(observed(again)).requeueAfterMs).toBe(REJOIN_MS);
  });

  const late: ObservedOptions = {
    spec,
    pods: [
      { ...head, createdAt: NOW - 200_000 },
      { ...first, createdAt: NOW - 300_000 },
      { ...second, createdAt: NOW - 300_000 },
    ],
  };

  it('those whose time is over are replaced, and only those', () => {
    const options = { ...late, status: told('False', REJOIN_MS), rayNodes: answer(node('10.0.0.1')) };
    expect(plan(options)).toEqual(['delete Pod demo-small-worker-1']);
    expect(plan({ ...options, status: told('False', REJOIN_MS - 1) })).toEqual([]);
  });

  it('nobody is replaced on the word of a head that no longer answers', () => {
    expect(plan({ ...late, status: told('False', REJOIN_MS) })).toEqual([]);
  });
});
