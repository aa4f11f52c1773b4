import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RayClusterSpec } from './raycluster.ts';
import { compareServiceSpec, compareSpec, type ServiceSpecStamp, type SpecStamp, specHash } from './spec-hash.ts';

const VERSION = '0.1.0';

const TEMPLATE = {
  spec: { containers: [{ name: 'ray-worker', image: 'ray:1', resources: { limits: { cpu: '1' } } }] },
};

function group(groupName: string, more: object = {}): object {
  return { groupName, template: TEMPLATE, replicas: 1, minReplicas: 0, maxReplicas: 10, rayStartParams: {}, ...more };
}

function spec(more: object = {}): RayClusterSpec {
  return {
    rayVersion: '2.53.0',
    headGroupSpec: {
      template: { spec: { containers: [{ name: 'ray-head', image: 'ray:1' }] } },
      rayStartParams: { 'num-cpus': '1' },
    },
    workerGroupSpecs: [group('small'), group('large')],
    ...more,
  } as RayClusterSpec;
}

function head(podSpec: object, more: object = {}): RayClusterSpec {
  const containers = [{ name: 'ray-head', image: 'ray:1' }];
  return spec({
    headGroupSpec: { template: { spec: { containers, ...podSpec } }, rayStartParams: { 'num-cpus': '1' }, ...more },
  });
}

function withGroups(...groups: readonly object[]): RayClusterSpec {
  return spec({ workerGroupSpecs: groups });
}

function stamp(some: RayClusterSpec, more: Partial<ServiceSpecStamp> = {}): ServiceSpecStamp {
  return {
    hash: specHash(some, { ignoreSuspend: true }),
    operatorVersion: VERSION,
    workerGroupCount: String(some.workerGroupSpecs?.length ?? 0),
    ...more,
  };
}

function limits(cpu: unknown): RayClusterSpec {
  return head({ containers: [{ name: 'h', resources: { limits: { cpu, other: 'nonsense!' } } }] });
}

function stamped(hash: string | undefined, operatorVersion = VERSION): SpecStamp {
  return { hash, operatorVersion };
}

describe('the hash of a cluster spec', () => {
  it('never changes, since every running cluster carries it', () => {
    expect(specHash(spec())).toBe('m3-6512f6b554e942cc1bdc2423c0de86f77b820cb8');
    const spelledOut = {
      serviceAccountName: '',
      overhead: {},
      containers: [{ name: 'h', image: '', resources: {}, tty: false }],
    };
    const autoscalerOptions = { resources: {}, image: '' };
    expect(specHash({ ...head(spelledOut), autoscalerOptions })).toBe('m3-bcb696d4c8524e6ea7ca2bdf872d252938ae3fb6');
  });

  it.each<[string, RayClusterSpec]>([
    ['replicas', withGroups(group('small', { replicas: 7 }), group('large', { replicas: undefined }))],
    ['minReplicas and maxReplicas', withGroups(group('small', { minReplicas: 3, maxReplicas: null }), group('large'))],
    ['pods to delete', withGroups(group('small', { scaleStrategy: { workersToDelete: ['a'] } }), group('large'))],
    ['the upgrade strategy', spec({ upgradeStrategy: { type: 'Recreate' } })],
    ['tolerations of the head', head({ tolerations: [{ key: 'a' }] })],
    ['scheduling gates of the head', head({ schedulingGates: [{ name: 'a' }] })],
    ['a field that is null', spec({ autoscalerOptions: null, suspend: undefined })],
    ['an empty list', head({ volumes: [] })],
    ['empty labels', head({ nodeSelector: {} }, { labels: {} })],
    ['absent start parameters', withGroups(group('small', { rayStartParams: undefined }), group('large'))],
  ])('does not depend on %s', (_, other) => {
    expect(specHash(other)).toBe(specHash(spec()));
  });

  it('does not depend on tolerations and scheduling gates of workers', () => {
    const template = { spec: { containers: [], tolerations: [{ key: 'a' }], schedulingGates: [{ name: 'b' }] } };
    expect(specHash(withGroups(group('g', { template })))).toBe(
      specHash(withGroups(group('g', { template: { spec: { containers: [] } } }))),
    );
  });

  it('does not depend on how a quantity is spelled', () => {
    expect(specHash(limits(1))).toBe(specHash(limits('1000m')));
    expect(specHash(limits('1.0'))).toBe(specHash(limits('1')));
    expect(specHash(limits('1001m'))).not.toBe(specHash(limits('1')));
  });

  it.each<[string, object, object]>([
    ['a variable without a value', { env: [{ name: 'A', value: '' }] }, { env: [{ name: 'A' }] }],
    ['what is off anyway', { stdin: false, tty: false, workingDir: '' }, {}],
    ['what is left to its default', { image: '', imagePullPolicy: '' }, {}],
    [
      'a mount that may be written to',
      { volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: false, subPath: '' }] },
      { volumeMounts: [{ name: 'v', mountPath: '/v' }] },
    ],
    [
      'a probe without a delay',
      { livenessProbe: { tcpSocket: { port: 1 }, initialDelaySeconds: 0 } },
      { livenessProbe: { tcpSocket: { port: 1 } } },
    ],
  ])('does not depend on %s being written out', (_, written, left) => {
    const [a, b] = [written, left].map((more) => specHash(head({ containers: [{ name: 'h', ...more }] })));
    expect(a).toBe(b);
  });

  it.each<[string, RayClusterSpec]>([
    ['of a pod', head({ restartPolicy: '', serviceAccountName: '', hostname: '', overhead: {} })],
    ['of a group', head({}, { serviceType: '' })],
    ['of workers', withGroups(group('small', { template: { metadata: { name: '' }, ...TEMPLATE } }), group('large'))],
  ])('does not depend on what says nothing %s', (_, written) => {
    expect(specHash(written)).toBe(specHash(spec()));
  });

  it('depends on empty resources of a container that we add: they take its usual ones away', () => {
    expect(specHash(spec({ autoscalerOptions: { resources: {} } }))).not.toBe(
      specHash(spec({ autoscalerOptions: {} })),
    );
  });

  it('depends on a choice that is not the same as none', () => {
    const claim = (more: object) => specHash(spec({ gcsFaultToleranceOptions: { backend: 'rocksdb', storage: more } }));
    expect(claim({ storageClassName: '' })).not.toBe(claim({}));
    expect(specHash(head({ automountServiceAccountToken: false }))).not.toBe(specHash(head({})));
    expect(specHash(head({ nodeSelector: { value: '' } }))).not.toBe(specHash(head({})));
  });

  it.each<[string, RayClusterSpec]>([
    ['an image', head({ containers: [{ name: 'ray-head', image: 'ray:2' }] })],
    ['the Ray version', spec({ rayVersion: '2.54.0' })],
    ['a start parameter', head({}, { rayStartParams: { 'num-cpus': '2' } })],
    ['suspend', spec({ suspend: true })],
    ['a suspended group', withGroups(group('small', { suspend: true }), group('large'))],
    ['the order of groups', withGroups(group('large'), group('small'))],
    ['one more group', withGroups(group('small'), group('large'), group('huge'))],
    ['fault tolerance turned on by an empty object', spec({ gcsFaultToleranceOptions: {} })],
    ['numOfHosts', withGroups(group('small', { numOfHosts: 2 }), group('large'))],
    ['an empty volume', head({ volumes: [{ name: 'v', emptyDir: {} }] })],
  ])('depends on %s', (_, other) => {
    expect(specHash(other)).not.toBe(specHash(spec()));
  });

  it('is the same for any order of keys', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, member]) => [key, reversed(member)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (annotations) => {
        const some = spec({ autoscalerOptions: { annotations } });
        expect(specHash(reversed(some) as RayClusterSpec)).toBe(specHash(some));
      }),
    );
  });

  it('differs for different values of any other field', () => {
    const field = fc.constantFrom('rayVersion', 'managedBy', 'enableInTreeAutoscaling', 'tlsOptions', 'unknownField');
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    fc.assert(
      fc.property(field, value, value, (name, a, b) => {
        fc.pre(a !== b && !(Object.is(a, -0) || Object.is(b, -0)));
        expect(specHash(spec({ [name]: a }))).not.toBe(specHash(spec({ [name]: b })));
      }),
    );
  });

  it('does not throw for garbage', () => {
    const garbage = fc.record({
      headGroupSpec: fc.jsonValue(),
      workerGroupSpecs: fc.jsonValue(),
      suspend: fc.jsonValue(),
    });
    fc.assert(
      fc.property(garbage, (some) => {
        expect(specHash(some as unknown as RayClusterSpec)).toMatch(/^m3-[0-9a-f]{40}$/);
      }),
    );
  });
});

describe('a RayCluster compared with the stamp on its head pod', () => {
  it.each([
    ['the same spec', stamped(specHash(spec())), 'same'],
    ['another spec', stamped(specHash(spec({ rayVersion: '2.9.0' }))), 'different'],
    ['a group more than before', stamped(specHash(withGroups(group('small')))), 'different'],
    ['no stamp', stamped(undefined), 'foreign'],
    ["another operator's hash", stamped('5SQ1O9TRG4L1VJDCVQKS3RTCJJ8AB5E8', 'v1.4.2'), 'foreign'],
    ["another operator's hash under our version", stamped('5SQ1O9TRG4L1VJDCVQKS3RTCJJ8AB5E8'), 'foreign'],
    ['a hash of a later kind', stamped(specHash(spec()).replace('m3-', 'm4-')), 'foreign'],
    ['a hash of an earlier kind', stamped(specHash(spec()).replace('m3-', 'm2-')), 'foreign'],
    ['our hash, but another version of ours', stamped(specHash(spec()), '0.0.9'), 'foreign'],
    ['our hash, its version taken off', { hash: specHash(spec()), operatorVersion: undefined }, 'same'],
    [
      'our hash of another spec, its version taken off',
      { hash: specHash(spec({ rayVersion: '2.9.0' })), operatorVersion: undefined },
      'different',
    ],
    [
      "another operator's hash without version",
      { hash: '5SQ1O9TRG4L1VJDCVQKS3RTCJJ8AB5E8', operatorVersion: undefined },
      'foreign',
    ],
  ])('%s', (_, some, expected) => {
    expect(compareSpec(spec(), some, VERSION)).toBe(expected);
  });
});

describe('the spec of a RayService compared with the stamp on its cluster', () => {
  it.each([
    ['nothing changed', spec(), stamp(spec()), 'same'],
    ['only suspended', spec({ suspend: true }), stamp(spec()), 'same'],
    ['only scaled', withGroups(group('small', { replicas: 9 }), group('large')), stamp(spec()), 'same'],
    ['a group at the end', withGroups(group('small'), group('large'), group('huge')), stamp(spec()), 'appended-groups'],
    ['the first groups', spec(), stamp(withGroups()), 'appended-groups'],
    ['a group at the beginning', withGroups(group('huge'), group('small'), group('large')), stamp(spec()), 'different'],
    ['a group taken away', withGroups(group('small')), stamp(spec()), 'different'],
    [
      'a group at the end and another image',
      {
        ...head({ priority: 1 }),
        workerGroupSpecs: withGroups(group('small'), group('large'), group('x')).workerGroupSpecs,
      },
      stamp(spec()),
      'different',
    ],
    [
      'a count that is no number',
      spec({ rayVersion: '2.9.0' }),
      stamp(spec(), { workerGroupCount: 'two' }),
      'appended-groups',
    ],
    [
      'a count that is missing',
      spec({ rayVersion: '2.9.0' }),
      stamp(spec(), { workerGroupCount: undefined }),
      'appended-groups',
    ],
    ['a negative count', spec({ rayVersion: '2.9.0' }), stamp(spec(), { workerGroupCount: '-1' }), 'different'],
    ['a foreign version', spec({ rayVersion: '2.9.0' }), stamp(spec(), { operatorVersion: 'v1.4.0' }), 'foreign'],
    ['a foreign hash', spec(), stamp(spec(), { hash: 'ABC' }), 'foreign'],
  ] as const)('%s', (_, wanted, some, expected) => {
    expect(compareServiceSpec(wanted as RayClusterSpec, some, VERSION)).toBe(expected);
  });
});
