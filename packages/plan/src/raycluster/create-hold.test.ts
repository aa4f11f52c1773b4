import { describe, expect, it } from 'vitest';
import { group, headPod, NOW, type ObservedOptions, worker } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';
import type { CreateHold } from './create-hold.ts';

const refused: CreateHold = { kind: 'refused', until: NOW + 4_000 };
const failing = (places: number): CreateHold => ({ kind: 'failing', places, until: NOW + 9_000 });
const spec = { workerGroupSpecs: [group({ replicas: 3 }), group({ groupName: 'big' })] };
const WAITS = 'wait 9000 ms: group small: replacing Pods that fail again and again later';
const TOLD =
  'Warning ReplacementDelayed: Pods of group small of RayCluster ml/demo fail again and again, or on the same node; they are replaced more slowly';

describe('creations that wait', () => {
  it.each<[string, ObservedOptions, readonly string[]]>([
    [
      'a refused group waits, and the others are made',
      { spec, pods: [headPod()], holds: new Map([['small', refused]]) },
      ['wait 4000 ms: group small: creating a Pod was refused, trying again later', 'create Pod demo-big-worker-?'],
    ],
    [
      'a refused head waits, and so do its workers',
      { spec, holds: new Map([['headgroup', refused]]) },
      ['wait 4000 ms: group headgroup: creating a Pod was refused, trying again later'],
    ],
    [
      'the places of pods that fail stay empty, new ones are filled',
      {
        spec,
        pods: [headPod(), worker(0), worker(0, { group: 'big', name: 'b' })],
        holds: new Map([['small', failing(1)]]),
      },
      [TOLD, WAITS, 'create Pod demo-small-worker-?'],
    ],
    [
      'hosts that fail hold up their replica',
      {
        spec: { workerGroupSpecs: [group({ replicas: 2, numOfHosts: 2 })] },
        pods: [headPod()],
        holds: new Map([['small', failing(2)]]),
      },
      ['create Service demo-headless', TOLD, WAITS, 'create Pod demo-small-worker-? demo-small-worker-?'],
    ],
    [
      'a hold that is over holds nothing',
      {
        spec: { workerGroupSpecs: [group()] },
        pods: [headPod()],
        holds: new Map([['small', { ...refused, until: NOW }]]),
      },
      ['create Pod demo-small-worker-?'],
    ],
    [
      'where nothing is missing nothing waits',
      { spec: { workerGroupSpecs: [group()] }, pods: [headPod(), worker(0)], holds: new Map([['small', failing(1)]]) },
      [],
    ],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });
});
