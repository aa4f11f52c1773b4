import { describe, expect, it } from 'vitest';
import type { Action, PlanOutcome } from '../plan.ts';
import { group, headPod, NOW, type ObservedOptions, worker } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';
import {
  type ClusterMemory,
  type CreateBackoff,
  NO_CLUSTER_MEMORY,
  rememberRefusals,
  withRefusals,
} from './create-backoff.ts';

const refused: CreateBackoff = { kind: 'refused', until: NOW + 4_000 };
const failing = (places: number): CreateBackoff => ({ kind: 'failing', places, until: NOW + 9_000 });
const spec = { workerGroupSpecs: [group({ replicas: 3 }), group({ groupName: 'big' })] };
const WAITS = 'wait 9000 ms: group small: replacing Pods that fail again and again later';
const TOLD =
  'Warning ReplacementDelayed: Pods of group small of RayCluster ml/demo fail again and again, or on the same node; they are replaced more slowly';

describe('a delayed creation', () => {
  it.each<[string, ObservedOptions, readonly string[]]>([
    [
      'a refused group waits, and the others are made',
      { spec, pods: [headPod()], backoffs: new Map([['small', refused]]) },
      ['wait 4000 ms: group small: creating a Pod was refused, trying again later', 'create Pod demo-big-worker-?'],
    ],
    [
      'a refused head waits, and so do its workers',
      { spec, backoffs: new Map([['headgroup', refused]]) },
      ['wait 4000 ms: group headgroup: creating a Pod was refused, trying again later'],
    ],
    [
      'the places of pods that fail stay empty, new ones are filled',
      {
        spec,
        pods: [headPod(), worker(0), worker(0, { group: 'big', name: 'b' })],
        backoffs: new Map([['small', failing(1)]]),
      },
      [TOLD, WAITS, 'create Pod demo-small-worker-?'],
    ],
    [
      'hosts that fail hold up their replica',
      {
        spec: { workerGroupSpecs: [group({ replicas: 2, numOfHosts: 2 })] },
        pods: [headPod()],
        backoffs: new Map([['small', failing(2)]]),
      },
      ['create Service demo-headless', TOLD, WAITS, 'create Pod demo-small-worker-? demo-small-worker-?'],
    ],
    [
      'a hold that is over holds nothing',
      {
        spec: { workerGroupSpecs: [group()] },
        pods: [headPod()],
        backoffs: new Map([['small', { ...refused, until: NOW }]]),
      },
      ['create Pod demo-small-worker-?'],
    ],
    [
      'where nothing is missing nothing waits',
      {
        spec: { workerGroupSpecs: [group()] },
        pods: [headPod(), worker(0)],
        backoffs: new Map([['small', failing(1)]]),
      },
      [],
    ],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });
});

describe('the backoff of refused groups', () => {
  /** One reconcile after another: which groups were tried, which were refused, and when. */
  function remember(...tries: readonly { tried: readonly string[]; refused: readonly string[]; now: number }[]) {
    return tries.reduce<ClusterMemory>((memory, { tried, refused: refusedGroups, now }) => {
      const actions = tried.map(
        (name): Action => ({ type: 'create', kind: 'Pod', objects: [], whenExists: 'fine', group: name }),
      );
      const outcome: PlanOutcome = { kind: 'failed', message: 'quota', refusedGroups };
      return rememberRefusals(memory, { kind: 'acted', actions, outcome, generation: 1, now });
    }, NO_CLUSTER_MEMORY);
  }
  const small = (now: number) => ({ tried: ['small'], refused: ['small'], now });
  const waits = (memory: ClusterMemory, generation = 1) =>
    Object.fromEntries([...withRefusals(new Map(), memory, generation)].map(([name, { until }]) => [name, until]));

  it('doubles with every refusal, up to one minute', () => {
    expect(waits(remember(small(0), small(1_000)))).toEqual({ small: 1_500 });
    expect(waits(remember(...Array.from({ length: 20 }, () => small(10_000))))).toEqual({ small: 70_000 });
  });

  it('ends with a success', () => {
    const both = { tried: ['small', 'big'], refused: ['small', 'big'], now: 0 };
    const succeeded = { tried: ['small'], refused: [], now: 0 };
    expect(waits(remember(both, both, both, succeeded))).toEqual({ big: 1_000 });
  });

  it('ends when the spec changes', () => {
    expect(waits(remember(small(0)), 2)).toEqual({});
  });

  it('blocks a group whose pods also fail', () => {
    const both = withRefusals(new Map([['small', failing(1)]]), remember(small(0)), 1);
    expect(both.get('small')?.kind).toBe('refused');
  });
});
