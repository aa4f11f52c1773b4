import fc from 'fast-check';
import type { JsonObject } from '../../packages/apiserver/src/object/json.ts';
import { kinds, type Operation, type PatchType, type Plural } from './operation.ts';
import { podResize, randomObjects } from './random-objects.ts';

const by = fc.constantFrom('one', 'two');
const names = fc.constantFrom('a', 'a', 'a', 'b');
const seldom = fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });
const json = (objects: fc.Arbitrary<object>) => objects as fc.Arbitrary<JsonObject>;

const withStatus: ReadonlySet<Plural> = new Set(['rayclusters', 'services', 'pods', 'jobs']);

const selectors = fc.constantFrom(
  '',
  'labelSelector=a%3Dx',
  'labelSelector=a%21%3Dx',
  'labelSelector=a+in+%28x%2Cy%29%2C%21b',
  'labelSelector=%3D%3D',
  'fieldSelector=metadata.name%3Da',
  'fieldSelector=metadata.name%21%3Da',
  'fieldSelector=status.phase%3DRunning',
  'fieldSelector=type%3DOpaque',
  'fieldSelector=spec.nothing%3Da',
  'limit=1',
  'limit=1&labelSelector=a%3Dx',
  'limit=x',
);

const place = fc.constantFrom(
  '/data/k',
  '/data',
  '/spec/suspend',
  '/spec/nodeName',
  '/spec/containers/0/image',
  '/spec/ports/0',
  '/spec/ports/-',
  '/spec',
  '/metadata/labels',
  '/metadata/labels/a',
  '/metadata/finalizers',
  '/metadata/finalizers/0',
  '/metadata/finalizers/-',
  '/metadata/managedFields',
  '/metadata/uid',
  '/metadata/generation',
  '/metadata/deletionTimestamp',
  '/nowhere/at/all',
);
const jsonOperation = fc.record(
  {
    op: fc.constantFrom('add', 'add', 'replace', 'remove', 'test', 'move', 'copy', 'x'),
    path: place,
    from: place,
    value: fc.constantFrom<unknown>('x', 'a/a', true, {}, { a: 'x' }, ['a/a'], [], null, { port: 90 }),
  },
  { requiredKeys: ['op', 'path', 'value'] },
);

function withNulls(part: fc.Arbitrary<object>): fc.Arbitrary<object> {
  const gone = fc.constantFrom<object>(
    {},
    {},
    { metadata: { labels: null } },
    { metadata: { finalizers: null } },
    { metadata: { finalizers: [] } },
    { metadata: { managedFields: null } },
    { spec: null },
    { data: null },
    { data: { k: null } },
    { metadata: { resourceVersion: '1' } },
  );
  return fc.tuple(part, gone).map(([body, nulls]) => ({ ...body, ...nulls }));
}

function patchBody(plural: Plural, type: PatchType): fc.Arbitrary<unknown> {
  const { whole, part } = randomObjects[plural];
  if (type === 'json') return fc.array(jsonOperation, { minLength: 1, maxLength: 2 });
  if (type === 'apply') return fc.oneof(whole, part);
  return withNulls(part);
}

function patchOf(plural: Plural): fc.Arbitrary<Operation> {
  const types: readonly PatchType[] = ['json', 'merge', 'strategic', 'apply', 'apply'];
  return fc.constantFrom(...types).chain((type) =>
    fc.record({
      do: fc.constant('patch' as const),
      plural: fc.constant(plural),
      name: names,
      by,
      type: fc.constant(type),
      body: patchBody(plural, type),
      isDryRun: seldom,
      isForced: type === 'apply' ? fc.boolean() : fc.constant(false),
    }),
  );
}

function statusWriteOf(plural: Plural): fc.Arbitrary<Operation> {
  const target = { plural: fc.constant(plural), name: names, by, subresource: fc.constant('status' as const) };
  const body = randomObjects[plural].status.map((status) => ({ status }) as JsonObject);
  return fc.oneof(
    fc.record({
      do: fc.constant('patch' as const),
      ...target,
      type: fc.constantFrom<PatchType>('merge', 'strategic', 'apply'),
      isForced: fc.boolean(),
      body,
    }),
    fc.record({
      do: fc.constant('update' as const),
      ...target,
      version: fc.constantFrom('current' as const, 'none' as const),
      body,
    }),
  );
}

const podResizes: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    do: fc.constant('patch' as const),
    plural: fc.constant('pods' as const),
    name: names,
    by,
    subresource: fc.constant('resize' as const),
    type: fc.constantFrom<PatchType>('strategic', 'strategic', 'merge', 'apply'),
    isForced: fc.boolean(),
    isDryRun: seldom,
    body: podResize,
  }),
  fc.record({
    do: fc.constant('update' as const),
    plural: fc.constant('pods' as const),
    name: names,
    by,
    subresource: fc.constant('resize' as const),
    version: fc.constantFrom('current' as const, 'none' as const, 'first' as const),
    body: json(podResize),
  }),
);

function updateOf(plural: Plural): fc.Arbitrary<Operation> {
  const { whole, part } = randomObjects[plural];
  const target = {
    do: fc.constant('update' as const),
    plural: fc.constant(plural),
    name: names,
    by,
    version: fc.constantFrom('current' as const, 'current' as const, 'none' as const, 'first' as const),
    isDryRun: seldom,
  };
  return fc.oneof(
    fc.record({ ...target, body: json(withNulls(part)), isBare: fc.constant(false) }),
    fc.record({ ...target, body: json(whole), isBare: fc.constant(true) }),
  );
}

function deleteOf(plural: Plural): fc.Arbitrary<Operation> {
  return fc.record(
    {
      do: fc.constant('delete' as const),
      plural: fc.constant(plural),
      name: names,
      uid: fc.constantFrom('right' as const, 'right' as const, 'wrong' as const),
      version: fc.constantFrom('right' as const, 'right' as const, 'wrong' as const),
      options: fc.constantFrom<JsonObject>(
        {},
        {},
        {},
        { gracePeriodSeconds: 0 },
        { gracePeriodSeconds: 5 },
        { gracePeriodSeconds: -1 },
        { propagationPolicy: 'Background' },
        { propagationPolicy: 'Foreground' },
        { propagationPolicy: 'Orphan' },
        { propagationPolicy: 'X' },
        { orphanDependents: true },
        { orphanDependents: false, propagationPolicy: 'Orphan' },
        { dryRun: ['All'] },
        { dryRun: ['X'] },
      ),
    },
    { requiredKeys: ['do', 'plural', 'name', 'options'] },
  );
}

function operationOn(plural: Plural): fc.Arbitrary<Operation> {
  const target = { plural: fc.constant(plural), name: names };
  const create = fc.record({
    do: fc.constant('create' as const),
    ...target,
    by,
    body: json(randomObjects[plural].whole),
    isStrict: seldom,
    isDryRun: seldom,
  });
  return fc.oneof(
    { weight: 8, arbitrary: create },
    { weight: 6, arbitrary: updateOf(plural) },
    { weight: 12, arbitrary: patchOf(plural) },
    { weight: withStatus.has(plural) ? 5 : 0, arbitrary: statusWriteOf(plural) },
    { weight: plural === 'pods' ? 4 : 0, arbitrary: podResizes },
    { weight: 5, arbitrary: deleteOf(plural) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('deleteCollection' as const), plural: target.plural, query: selectors }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('get' as const), ...target }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('list' as const),
        plural: target.plural,
        query: selectors,
        isContinued: fc.boolean(),
      }),
    },
  );
}

const plurals = Object.keys(kinds) as Plural[];

/** Sequences of so many operations on a few objects of one to three kinds. */
export function randomSequence(length: number): fc.Arbitrary<readonly Operation[]> {
  return fc
    .shuffledSubarray(plurals, { minLength: 1, maxLength: 3 })
    .chain((chosen) =>
      fc.array(fc.oneof(...chosen.map(operationOn)), { minLength: length, maxLength: length, size: 'max' }),
    );
}
