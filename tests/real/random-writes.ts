import fc from 'fast-check';
import type { Step } from './patch-twin.ts';

const managers = fc.constantFrom('one', 'two', 'three');
const flag = fc.boolean();
const text = fc.constantFrom('x', 'y');

/** Some of the keys, each with a value. */
function someOf<T>(
  keys: readonly string[],
  value: fc.Arbitrary<T>,
): fc.Arbitrary<{ readonly [key: string]: T | undefined }> {
  return fc.record(Object.fromEntries(keys.map((key) => [key, value])), { requiredKeys: [] });
}

/** Some of the items, in any order. */
function listOf<T>(items: readonly fc.Arbitrary<T>[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...items]).chain((chosen) => fc.tuple(...chosen));
}

function optional<T extends object>(fields: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
}

const metadata = optional({
  labels: someOf(['a', 'b'], text),
  annotations: someOf(['c'], text),
  finalizers: fc.shuffledSubarray(['a/a', 'b/b', 'c/c']),
});
/** Without empty maps and lists: custom resources are stored with them and read without, so that the next write is never none. */
const fullMetadata = metadata.map((fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => Object.keys(value ?? {}).length > 0)),
);

/** Objects of one kind: what somebody might send, and what a patch of it might be. */
export interface RandomKind {
  /** A whole object that the server accepts. */
  readonly whole: fc.Arbitrary<object>;
  /** A part of an object, for patches; lists have all that the server insists on. */
  readonly part: fc.Arbitrary<object>;
  /** What a manager may apply: a part, except where the server would fill in what nobody applies. */
  readonly applied: fc.Arbitrary<object>;
}

const configMapPart = optional({ metadata, data: someOf(['k', 'l', 'm'], text) });

const port = (number: number) =>
  optional({ name: fc.constant(`p${number}`), targetPort: fc.constantFrom<number | string>(1, 'web') }).map((more) => ({
    port: number,
    name: `p${number}`,
    ...more,
  }));
const ports = listOf([port(80), port(81), port(82)]);
const serviceSpec = optional({
  ports,
  selector: someOf(['s', 't'], text),
  sessionAffinity: fc.constantFrom('None', 'ClientIP'),
});
/** All that the server would fill in, so that it does not. */
const headless = {
  clusterIP: 'None',
  clusterIPs: ['None'],
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
};

const env = listOf(['A', 'B', 'C'].map((name) => text.map((value) => ({ name, value }))));
const containerPorts = listOf(
  [80, 81].map((containerPort) =>
    optional({ name: fc.constant(`n${containerPort}`) }).map((more) => ({ containerPort, ...more })),
  ),
);
const container = (name: string) =>
  optional({ image: text, env, ports: containerPorts, args: fc.array(text, { maxLength: 2 }) }).map((more) => ({
    name,
    ...more,
  }));
const containers = listOf([container('head'), container('side')]);
const template = optional({ metadata: optional({ labels: someOf(['l', 'm'], text) }) }).chain((more) =>
  containers.map((list) => ({ ...more, spec: { containers: list } })),
);
const workers = listOf(['g', 'h'].map((groupName) => template.map((each) => ({ groupName, template: each }))));
const clusterSpec = optional({
  suspend: flag,
  rayVersion: text,
  workerGroupSpecs: workers,
  headGroupSpec: optional({ rayStartParams: someOf(['p', 'q'], text), template }),
});
const emptyHead = { headGroupSpec: { template: { spec: { containers: [] } } } };

const anything = fc.oneof(
  fc.constantFrom<unknown>(1, 'x', [1], [], {}, { p: { q: 1 } }, { p: 1 }, { p: ['x'] }),
  someOf(['p', 'r'], fc.constantFrom<unknown>(1, 'x', [2], { s: 1 }, { s: 'x', t: [] })),
);
const named = (name: string) => optional({ value: text }).map((more) => ({ name, ...more }));
const widget = optional({
  metadata: fullMetadata,
  spec: optional({
    list: listOf([named('a'), named('b'), named('c')]),
    plainList: listOf([named('a'), named('b')]),
    set: fc.shuffledSubarray(['x', 'y', 'z']),
    map: someOf(['k', 'l'], text),
    atomicMap: someOf(['k', 'l'], text),
    either: fc.constantFrom<string | number>(1, 'x'),
    anything,
    part: optional({ known: someOf(['a'], text), unknown: anything }),
  }),
});

const wholeService = fc
  .tuple(metadata, serviceSpec)
  .map(([meta, spec]) => ({ metadata: meta, spec: { ...headless, ...spec } }));

/** The kinds that random writes are tried on. */
export const randomKinds: Readonly<Record<'configMaps' | 'services' | 'rayClusters' | 'widgets', RandomKind>> = {
  configMaps: { whole: configMapPart, part: configMapPart, applied: configMapPart },
  services: { whole: wholeService, part: optional({ metadata, spec: serviceSpec }), applied: wholeService },
  widgets: { whole: widget, part: widget, applied: widget },
  rayClusters: {
    whole: fc.tuple(fullMetadata, clusterSpec).map(([meta, spec]) => ({
      metadata: meta,
      spec: { ...emptyHead, ...spec, headGroupSpec: { ...emptyHead.headGroupSpec, ...spec.headGroupSpec } },
    })),
    part: optional({ metadata: fullMetadata, spec: clusterSpec }),
    applied: optional({ metadata: fullMetadata, spec: clusterSpec }),
  },
};

const place = fc.constantFrom(
  '/data/k',
  '/data/l',
  '/data',
  '/metadata/labels',
  '/metadata/labels/a',
  '/metadata/finalizers',
  '/metadata/finalizers/0',
  '/metadata/finalizers/-1',
  '/metadata/finalizers/-',
  '/metadata/finalizers/x',
  '/nowhere/at/all',
);
const operation = fc.record(
  {
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
    path: place,
    from: place,
    value: fc.constantFrom<unknown>('x', 'a/a', {}, { a: 'x' }, ['a/a'], null),
  },
  { requiredKeys: ['op', 'path'] },
);

/** Writes to one object: it is created or applied first, and then changed by everybody in every way. */
export function randomSteps(
  { whole, part, applied }: RandomKind,
  ways: readonly Step['do'][],
): fc.Arbitrary<readonly Step[]> {
  const bodies: Readonly<Record<Step['do'], fc.Arbitrary<object>>> = {
    create: whole,
    update: whole,
    apply: fc.oneof(whole, applied),
    merge: withNulls(part),
    strategic: withNulls(part),
    json: fc.array(operation, { maxLength: 3 }),
  };
  const first = fc.record<Step>({ do: fc.constantFrom('create', 'apply'), by: managers, body: whole });
  const later = fc.constantFrom(...ways).chain((way) =>
    fc.record<Step>({
      do: fc.constant(way),
      by: managers,
      body: bodies[way],
      force: way === 'apply' ? flag : fc.constant(false),
    }),
  );
  return fc.tuple(first, fc.array(later, { minLength: 3, maxLength: 8 })).map(([start, rest]) => [start, ...rest]);
}

/** Sometimes asks for a key's removal. */
function withNulls(part: fc.Arbitrary<object>): fc.Arbitrary<object> {
  const metadataGone = fc.constantFrom<object>(
    {},
    { metadata: { labels: null } },
    { metadata: { finalizers: null } },
    { metadata: { annotations: null } },
  );
  return fc.tuple(part, metadataGone).map(([body, gone]) => ({ ...body, ...gone }));
}
