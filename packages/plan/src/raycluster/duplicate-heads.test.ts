import { describe, expect, it } from 'vitest';
import { group, headPod, type ObservedOptions, worker } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';

const one = headPod({ name: 'one', uid: 'one' });
const two = headPod({ name: 'two', uid: 'two' });
const spec = { workerGroupSpecs: [group({ replicas: 2 })] };
const pods = [one, two, worker(0, { podIP: '10.0.0.1' }), worker(1, { podIP: '10.0.0.2' })];
const nodes = (...ips: readonly string[]) => ips.map((ip) => ({ ip, isAlive: true, isHead: false }));
const answers = (ofOne: readonly string[] | undefined, ofTwo: readonly string[] | undefined) =>
  new Map([
    ...(ofOne === undefined ? [] : [['one', nodes(...ofOne)] as const]),
    ...(ofTwo === undefined ? [] : [['two', nodes(...ofTwo)] as const]),
  ]);
const TOLD =
  'Warning MultipleHeadPods: There are 2 head Pods: ml/one, ml/two. Delete those that the workers do not use';

describe('of two heads', () => {
  it.each<[string, ObservedOptions, readonly string[]]>([
    [
      'the one that no worker uses goes',
      { spec, pods, rayNodes: answers([], ['10.0.0.1', '10.0.0.2']) },
      ['delete Pod one'],
    ],
    ['neither goes before both have answered', { spec, pods, rayNodes: answers(undefined, ['10.0.0.1']) }, [TOLD]],
    ['neither goes when both have workers', { spec, pods, rayNodes: answers(['10.0.0.1'], ['10.0.0.2']) }, [TOLD]],
    ['neither goes when none has workers', { spec, pods, rayNodes: answers([], []) }, [TOLD]],
    ['nodes that are no pods of ours prove nothing', { spec, pods, rayNodes: answers([], ['10.9.9.9']) }, [TOLD]],
    [
      'one that is not ours stays',
      {
        spec,
        pods: [{ ...one, owner: 'else' }, ...pods.slice(1)],
        rayNodes: answers([], ['10.0.0.1']),
      },
      [],
    ],
    [
      'one that has ended goes whatever Ray says',
      { spec, pods: [one, { ...two, phase: 'Failed' }, ...pods.slice(2)] },
      ['delete Pod two'],
    ],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });
});
