import { apply, container, create, force, json, merge, type Scenario, update } from './patch-steps.ts';
import { rayTwin } from './patch-twin.ts';
import { widgets } from './widget-kind.ts';

/** Ray clusters, in their storage version. */
export const rayClusters = rayTwin('RayCluster');
const alphaClusters = rayTwin('RayCluster', 'v1alpha1');

const worker = (groupName: string, more: object = {}) => ({
  groupName,
  template: { spec: { containers: [container('worker')] } },
  ...more,
});
const cluster = (more: object = {}, metadata: object = {}) => ({
  metadata,
  spec: { headGroupSpec: { template: { spec: { containers: [container('head')] } } }, ...more },
});

const everything = {
  list: [
    { name: 'a', value: '1' },
    { name: 'b', value: '2' },
  ],
  plainList: [{ name: 'a' }],
  set: ['x', 'y'],
  map: { k: '1', l: '2' },
  atomicMap: { k: '1' },
  either: 3,
  anything: { p: { q: '1' }, r: [{ s: 1 }], t: null, u: {} },
  part: { known: { a: '1' }, unknown: { b: '2' } },
  embedded: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'x',
      labels: { a: 'b' },
      finalizers: ['a/b'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u1' }],
    },
    data: { a: 'b' },
  },
};
const somethingElse = {
  list: [{ name: 'c', value: '3' }],
  set: ['z'],
  map: { m: '3' },
  anything: { p: { z: '1' } },
  part: { known: {}, other: 1 },
  embedded: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { labels: { c: 'd' } }, data: { c: 'd' } },
};

/** What several managers do to one custom resource. */
export const customScenarios: Readonly<Record<string, Scenario>> = {
  'ray clusters are created, patched and applied': {
    kind: rayClusters,
    steps: [
      create('maker', cluster({ workerGroupSpecs: [worker('a', { replicas: 1 })] })),
      merge('autoscaler', { spec: { suspend: true, workerGroupSpecs: [worker('a', { replicas: 3 })] } }),
      apply('one', cluster({ rayVersion: '2.9' })),
      apply('one', cluster({ rayVersion: '2.9', workerGroupSpecs: [worker('b')] })),
      force('one', cluster({ workerGroupSpecs: [worker('b'), worker('a')] })),
      json('patcher', [{ op: 'replace', path: '/spec/workerGroupSpecs/0/replicas', value: 5 }]),
      merge('operator', { status: { state: 'ready', endpoints: { dashboard: '8265' } } }, 'status'),
      update('operator', { status: { state: 'failed', desiredCPU: '2' }, spec: {} }, 'status'),
      merge('operator', { metadata: { labels: { s: '1' }, finalizers: ['a/b'] }, status: { reason: 'x' } }, 'status'),
      apply('two', { status: { state: 'ready' }, metadata: { labels: { t: '1' } } }, { subresource: 'status' }),
      force('two', { status: { state: 'ready', reason: 'y' } }),
      apply('two', { status: { state: 'suspended', reason: 'y' } }, { subresource: 'status', force: true }),
      merge('maker', { status: { state: 'x' }, metadata: { labels: { a: 'b' } } }),
      apply('one', {}),
    ],
  },
  'managers of different versions share an object': {
    kind: rayClusters,
    steps: [
      create('maker', cluster({ suspend: true })),
      merge('maker', { spec: { rayVersion: 'a' } }),
      { do: 'merge', by: 'maker', body: { spec: { suspend: false } }, through: alphaClusters },
      apply('one', { spec: { rayVersion: 'b' } }),
      { do: 'apply', by: 'one', body: { spec: { rayVersion: 'b', suspend: true } }, through: alphaClusters },
      {
        do: 'apply',
        by: 'one',
        body: { spec: { rayVersion: 'b', suspend: true } },
        through: alphaClusters,
        force: true,
      },
      apply('one', { spec: { suspend: true } }),
    ],
  },
  'lists and maps of every sort, known and unknown, have their owners': {
    kind: widgets,
    steps: [
      create('maker', { spec: everything }),
      apply('one', { spec: everything }),
      apply('two', { spec: somethingElse }),
      apply('three', {
        spec: { ...everything, either: 'x', anything: { p: { q: '2' }, r: [1], u: 'x' }, set: ['q'] },
      }),
      force('three', {
        spec: { either: 'x', anything: { p: { q: '2' }, r: [1], u: { v: 1 } }, atomicMap: { z: '1' } },
      }),
      merge('patcher', { spec: { anything: { p: null, u: [1, 2] }, embedded: { metadata: { labels: { z: '1' } } } } }),
      apply('three', { spec: { anything: 5 } }),
      force('three', { spec: { anything: 5 } }),
      force('three', { spec: { anything: { a: 1 } } }),
      force('three', { spec: { anything: [1, { b: 2 }], part: { known: { a: 'x' }, unknown: { b: 'y' } } } }),
      apply('two', { spec: {} }),
      apply('one', {}),
      apply('three', {}),
      update('maker', { spec: { list: [{ name: 'z' }] }, status: { x: 1 } }),
    ],
  },
  'what does not fit among the known and the unknown is refused': {
    kind: widgets,
    steps: [
      create('maker', {}),
      apply('one', { spec: { embedded: { metadata: { name: 3 } } } }),
      apply('one', { spec: { part: { known: { b: 1 } } } }),
      apply('one', { spec: { either: {} } }),
      apply('one', { spec: { either: [1] } }),
      apply('one', { spec: { list: [{ value: 'x' }] } }),
      apply('one', { spec: { list: [{ name: 'x' }, { name: 'x' }] } }),
      apply('one', { spec: { map: { a: 1 } } }),
      apply('one', { spec: { atomicMap: { a: 1 } } }),
      apply('one', { spec: { plainList: [{ name: 1 }] } }),
      apply('one', { status: { x: 1 } }),
    ],
  },
  'custom resources that do not fit are refused by apply': {
    kind: rayClusters,
    steps: [
      create('maker', cluster()),
      apply('one', { spec: { foo: 1 } }),
      apply('one', { spec: { rayVersion: 3 } }),
      apply('one', { spec: { suspend: 'x' } }),
      apply('one', { spec: { workerGroupSpecs: { a: 1 } } }),
      apply('one', { spec: { headGroupSpec: { template: { spec: { containers: [{ image: 'x' }] } } } } }),
      apply('one', { spec: { headGroupSpec: { template: { spec: { containers: ['x'] } } } } }),
      apply('one', { spec: { headGroupSpec: { rayStartParams: { a: 1 } } } }),
      apply('one', {
        spec: { headGroupSpec: { template: { metadata: { labels: { a: 'b' } }, spec: { priority: 'x' } } } },
      }),
    ],
  },
};
