import { describe, expect, it } from 'vitest';
import { group, headPod, headService, type ObservedOptions, worker } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';

describe('multi-host groups', () => {
  const going = { isTerminating: true };
  const unnumbered = { replicaIndex: undefined, replicaName: undefined, hostIndex: undefined };
  const hosts = (replica: number, count = 2, options = {}) =>
    Array.from({ length: count }, (_, host) =>
      worker(replica, { name: `r${replica}h${host}`, replicaName: `small-${replica}`, hostIndex: host, ...options }),
    );
  const spec = (replicas: number, rest = {}) => ({ workerGroupSpecs: [group({ numOfHosts: 2, replicas, ...rest })] });
  const children = {
    services: [
      headService(),
      { ...headService(), name: 'demo-headless', labels: { 'ray.io/headless-worker-svc': 'demo' } },
    ],
  };

  it.each<[string, ObservedOptions, readonly string[]]>([
    [
      'all hosts of a replica are made together',
      { spec: spec(1), pods: [headPod()], children },
      ['create Pod demo-small-worker-? demo-small-worker-?'],
    ],
    [
      'a replica that lost a host goes as a whole',
      { spec: spec(1), pods: [headPod(), ...hosts(0, 1)], children },
      ['delete Pod r0h0'],
    ],
    [
      'of a host that a replica has twice the one that came later goes, and the replica stays',
      {
        spec: spec(1),
        pods: [
          headPod(),
          ...hosts(0),
          worker(0, { ...hosts(0)[1], name: 'twin', createdAt: (hosts(0)[1]?.createdAt ?? 0) + 1 }),
        ],
        children,
      },
      ['delete Pod twin'],
    ],
    [
      'nor does it go while the twin is on its way out',
      {
        spec: spec(1),
        pods: [headPod(), ...hosts(0), worker(0, { ...hosts(0)[1], name: 'twin', ...going })],
        children,
      },
      [],
    ],
    [
      'a sick host takes its replica along',
      { spec: spec(1), pods: [headPod(), ...hosts(0, 1, { phase: 'Failed' }), ...hosts(0).slice(1)], children },
      ['delete Pod r0h0', 'delete Pod r0h1'],
    ],
    [
      'the autoscaler names one host and means the replica',
      {
        spec: spec(2, { scaleStrategy: { workersToDelete: ['r1h0'] } }),
        pods: [headPod(), ...hosts(0), ...hosts(1)],
        children,
      },
      ['delete Pod r1h0', 'delete Pod r1h1'],
    ],
    [
      'scaling down removes whole replicas, the youngest first',
      { spec: spec(1), pods: [headPod(), ...hosts(0), ...hosts(1)], children },
      ['delete Pod r1h0', 'delete Pod r1h1'],
    ],
    ['nothing is done when all is there', { spec: spec(2), pods: [headPod(), ...hosts(0), ...hosts(1)], children }, []],
    [
      'a replica that is going is not replaced before it is gone',
      { spec: spec(2), pods: [headPod(), ...hosts(0), ...hosts(1, 2, going)], children },
      [],
    ],
    [
      'a host that somebody deletes takes its replica along, however long it takes to end',
      { spec: spec(1), pods: [headPod(), ...hosts(0, 1, going), ...hosts(0).slice(1)], children },
      ['delete Pod r0h1'],
    ],
    [
      'the last host of a replica that is going still holds its place',
      { spec: spec(2), pods: [headPod(), ...hosts(0), ...hosts(1, 1, going)], children },
      [],
    ],
    [
      'scaling down counts what is going already',
      { spec: spec(2), pods: [headPod(), ...hosts(0), ...hosts(1), ...hosts(2, 2, going)], children },
      [],
    ],
    [
      'pods that were made without numbers are taken over as they are',
      { spec: spec(2), pods: [headPod(), ...hosts(0, 2, unnumbered), ...hosts(1, 2, unnumbered)], children },
      [],
    ],
    [
      'pods that name their replica and not its number belong together',
      {
        spec: spec(2),
        pods: [headPod(), ...hosts(0, 2, { replicaIndex: undefined }), ...hosts(1, 2, { replicaIndex: undefined })],
        children,
      },
      [],
    ],
    [
      'of pods without numbers no more go than one replica has',
      {
        spec: spec(2),
        pods: [headPod(), ...hosts(0, 1, { ...unnumbered, phase: 'Failed' }), ...hosts(1, 3, unnumbered)],
        children,
      },
      ['delete Pod r1h2', 'delete Pod r0h0'],
    ],
    [
      'pods from when the group had one host a replica are replaced',
      { spec: spec(1), pods: [headPod(), worker(0), worker(1)], children },
      ['delete Pod demo-small-worker-0', 'delete Pod demo-small-worker-1'],
    ],
    [
      'replicas that were made for more hosts are replaced',
      { spec: spec(1), pods: [headPod(), ...hosts(0, 3)], children },
      ['delete Pod r0h0', 'delete Pod r0h1', 'delete Pod r0h2'],
    ],
    [
      'replicas of absurd size are not even begun',
      { spec: spec(1, { numOfHosts: 2 ** 31 - 1 }), pods: [headPod()], children },
      [
        'Warning FailedToCreateWorkerPod: Failed to create worker Pod for the cluster ml/demo: numOfHosts of worker group small is 2147483647; at most 10000 hosts can make one replica',
      ],
    ],
    [
      'many replicas are made in portions of whole ones',
      { spec: spec(9, { numOfHosts: 600 }), pods: [headPod()], children },
      [`create Pod ${Array.from({ length: 600 }, () => 'demo-small-worker-?').join(' ')}`],
    ],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });
});
