import { describe, expect, it } from 'vitest';
import { group, headPod, type ObservedOptions, worker } from '../testing/observed.ts';
import { createdWorkers } from '../testing/plan-in-words.ts';

describe('the names of workers', () => {
  it('in the same place are the same again, and differ by predecessor and where the autoscaler has asked for that name', () => {
    const nameOf = (options: ObservedOptions) => createdWorkers(options)[0];
    const options = { spec: { workerGroupSpecs: [group()] }, pods: [headPod()] };
    const first = nameOf(options);
    expect(first).toMatch(/^demo-small-worker-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(nameOf(options)).toBe(first);
    expect(nameOf({ ...options, lastHolders: new Map([['small/0', { uid: 'u1', name: 'another' }]]) })).not.toBe(first);
    const asked = { workerGroupSpecs: [group({ scaleStrategy: { workersToDelete: [first ?? ''] } })] };
    expect(nameOf({ ...options, spec: asked })).not.toBe(first);
  });

  it('are the same whatever numOfHosts is: operators that know different ones make no more pods of an empty group together than one of them', () => {
    const namesOf = (replicas: number, numOfHosts: number) =>
      createdWorkers({ spec: { workerGroupSpecs: [group({ replicas, numOfHosts })] }, pods: [headPod()] });
    const most = namesOf(6, 1);
    expect(new Set(most).size).toBe(6);
    expect(namesOf(3, 2)).toEqual(most);
    expect(namesOf(2, 3)).toEqual(most);
    expect(namesOf(2, 2)).toEqual(most.slice(0, 4));
  });

  it('do not come back with another numOfHosts: the autoscaler would take a new pod for the one that has just gone', () => {
    const namesOf = (numOfHosts: number, lastHolders: ObservedOptions['lastHolders'] = new Map()) =>
      createdWorkers({
        spec: { workerGroupSpecs: [group({ replicas: 2, numOfHosts })] },
        pods: [headPod()],
        lastHolders,
      });
    const [a = '', b = ''] = namesOf(1);
    const gone = new Map([
      ['small/0', { uid: 'u1', name: a }],
      ['small/1', { uid: 'u2', name: b }],
      ['other/0', { uid: 'u3', name: namesOf(2)[3] ?? '' }],
    ]);
    const names = namesOf(2, gone);
    expect(new Set(names).size).toBe(4);
    expect(names).not.toContain(a);
    expect(names).not.toContain(b);
    expect(names.slice(2)).toEqual(namesOf(2).slice(2));
    const places = new Map(
      namesOf(2).map((name, at) => [`small/${Math.floor(at / 2)}.${at % 2}`, { uid: `u${at}`, name }]),
    );
    for (const name of namesOf(1, places)) expect(namesOf(2)).not.toContain(name);
  });
});

describe('where workers carry no numbers', () => {
  const gates = { RayMultiHostIndexing: false };
  const grown = (replicas: number, names: readonly string[]) =>
    createdWorkers({
      spec: { workerGroupSpecs: [group({ replicas })] },
      pods: [headPod(), ...names.map((name) => worker(0, { name, replicaIndex: undefined }))],
      gates,
    });

  it('a group grows by pods under new names', () => {
    const first = grown(1, []);
    const second = grown(2, first);
    expect(second).toHaveLength(1);
    expect(second).not.toEqual(first);
  });

  it('whichever of them was seen, repeating a creation makes the pod that is missing', () => {
    const [a = '', b = '', c = ''] = grown(3, []);
    expect(grown(3, [a])).toEqual([b, c]);
    expect(grown(3, [b])).toEqual([a, c]);
    expect(grown(3, [a, c])).toEqual([b]);
  });

  it('and get them later, a name is not given twice', () => {
    const [a = ''] = grown(1, []);
    const pods = [headPod(), worker(0, { name: a, replicaIndex: undefined })];
    const [b] = createdWorkers({ spec: { workerGroupSpecs: [group({ replicas: 2 })] }, pods });
    expect(b).toBeDefined();
    expect(b).not.toBe(a);
  });
});
