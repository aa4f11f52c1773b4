import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../object/json.ts';
import type { Schema } from '../object/schema.ts';
import type { Strategy } from '../registry/strategy.ts';
import { isLatestImage } from './defaults/image-tag.ts';
import { builtinKinds } from './kinds.ts';
import { builtinSchema, resolveBuiltin } from './schemas.ts';
import { createBuiltinStrategy } from './strategy.ts';

const now = '2026-01-01T00:00:00Z';

function strategyOf(name: string): Strategy {
  return createBuiltinStrategy(builtinKinds.find(({ kind }) => kind === name)!);
}

function filled(name: string, object: JsonObject): JsonObject {
  const strategy = strategyOf(name);
  const meta = { name: 'a', namespace: 'b', uid: 'u', ...(object['metadata'] as object) };
  return strategy.prepareForCreate(strategy.applyDefaults(strategy.prune({ ...object, metadata: meta }).object), now);
}

function complaints(name: string, object: JsonObject): readonly string[] {
  return strategyOf(name)
    .validateCreate(filled(name, object))
    .map(({ field, message }) => `${field}: ${message}`);
}

describe('every built-in kind', () => {
  it.each(builtinKinds.map((kind) => [kind.type, kind] as const))(
    '%s has a schema and accepts to be read',
    (_, kind) => {
      expect(builtinSchema(kind.definition)?.properties).toBeDefined();
      expect(createBuiltinStrategy(kind).prune({ metadata: { name: 'a' } }).dropped).toEqual([]);
    },
  );

  it('has a schema whose references lead somewhere', () => {
    const missing = new Set<string>();
    const seen = new Set<object>();
    const visit = (schema: Schema): void => {
      if (seen.has(schema)) return;
      seen.add(schema);
      if (schema.$ref !== undefined && builtinSchema(schema.$ref) === undefined) missing.add(schema.$ref);
      const { properties = {}, items } = resolveBuiltin(schema);
      for (const child of [...Object.values(properties), items]) if (child !== undefined) visit(child);
    };
    for (const { definition } of builtinKinds) visit(builtinSchema(definition) ?? {});
    expect([...missing]).toEqual([]);
    expect(seen.size).toBeGreaterThan(1000);
  });
});

describe('a pod', () => {
  const pod = { spec: { containers: [{ name: 'a', image: 'a' }] } };

  it('gets what the server decides', () => {
    expect(filled('Pod', pod)).toMatchObject({
      metadata: { generation: 1 },
      spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', priority: 0, tolerations: [{}, {}] },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
  });

  it.each([
    ['Guaranteed', { limits: { cpu: 1, memory: '1Gi' } }],
    ['Burstable', { requests: { cpu: 1 } }],
    ['Burstable', { limits: { cpu: 1 } }],
    ['BestEffort', { limits: { 'nvidia.com/gpu': 1 } }],
  ])('is %s when it asks for %o', (qosClass, resources) => {
    const object = { spec: { containers: [{ name: 'a', image: 'a', resources }] } };
    expect(filled('Pod', object)['status']).toMatchObject({ qosClass });
  });

  it('without containers, or with two of one name, is refused', () => {
    expect(complaints('Pod', { spec: {} })).toEqual(['spec.containers: Required value']);
    const container = { name: 'a', image: 'a' };
    expect(complaints('Pod', { spec: { containers: [container, container] } })).toEqual([
      'spec.containers[1].name: Duplicate value: "a"',
    ]);
  });

  it('hardly changes', () => {
    const strategy = strategyOf('Pod');
    const old = {
      ...filled('Pod', pod),
      metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1', generation: 1 },
    };
    const spec = old['spec' as keyof typeof old] as JsonObject;
    const image = {
      ...old,
      spec: { ...spec, containers: [{ ...(spec['containers'] as JsonObject[])[0], image: 'b' }] },
    };
    expect(strategy.validateUpdate(image, old, '')).toEqual([]);
    expect(strategy.prepareForUpdate(image, old, '', now)['metadata']).toMatchObject({ generation: 2 });
    const host = { ...old, spec: { ...spec, hostNetwork: true } };
    expect(strategy.validateUpdate(host, old, '').map(({ field, reason }) => [field, reason])).toEqual([
      ['spec', 'FieldValueForbidden'],
    ]);
  });
});

describe('other kinds', () => {
  it('a job selects its pods by its uid', () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } };
    expect(filled('Job', { spec: { template } })).toMatchObject({
      spec: { selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } }, backoffLimit: 6 },
    });
  });

  it('a job without labels has those of its pods, one with labels keeps its own', () => {
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] },
    };
    const added = { 'job-name': 'a', 'controller-uid': 'u', 'batch.kubernetes.io/job-name': 'a' };
    expect(filled('Job', { spec: { template } })['metadata']).toMatchObject({ labels: { a: 'b', ...added } });
    const labelled = filled('Job', { metadata: { labels: { a: 'b' } }, spec: { template } });
    expect(labelled['metadata']).toMatchObject({ labels: { a: 'b' } });
    expect(labelled).not.toHaveProperty(['metadata', 'labels', 'job-name']);
  });

  it('a volume tells since when it is in its phase', () => {
    const later = '2026-01-02T00:00:00Z';
    const strategy = strategyOf('PersistentVolume');
    const made = filled('PersistentVolume', { spec: {} });
    const changed = (status: JsonObject) =>
      strategy.prepareForUpdate({ ...made, status }, made, 'status', later)['status'];
    expect(made['status']).toEqual({ phase: 'Pending', lastPhaseTransitionTime: now });
    expect(changed({ phase: 'Pending' })).toEqual({ phase: 'Pending', lastPhaseTransitionTime: now });
    expect(changed({ phase: 'Bound' })).toEqual({ phase: 'Bound', lastPhaseTransitionTime: later });
    expect(changed({ phase: 'Bound', lastPhaseTransitionTime: now })).toMatchObject({ lastPhaseTransitionTime: later });
    const told = '2026-01-01T12:00:00Z';
    expect(changed({ phase: 'Bound', lastPhaseTransitionTime: told })).toMatchObject({ lastPhaseTransitionTime: told });
  });

  it.each([
    ['Pending', '2Gi', ['spec']],
    ['Pending', '1024Mi', []],
    ['Bound', '2Gi', []],
    ['Bound', '512Mi', ['spec.resources.requests.storage']],
  ])('a claim that is %s may be asked to have %s: but for %s', (phase, storage, fields) => {
    const claim = (size: string): JsonObject => ({
      metadata: { name: 'a', namespace: 'b', resourceVersion: '1' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } },
      status: { phase, ...(phase === 'Bound' ? { capacity: { storage: '1Gi' } } : {}) },
    });
    const causes = strategyOf('PersistentVolumeClaim').validateUpdate(claim(storage), claim('1Gi'), '');
    expect(causes.map(({ field }) => field)).toEqual(fields);
  });

  it.each([
    ['ConfigMap', ['metadata.finalizers[1]']],
    ['CustomResourceDefinition', []],
  ])('a finalizer of a %s names a domain: but for %s', (kind, fields) => {
    const object = { metadata: { finalizers: ['orphan', 'mine', 'example.com/mine'] } };
    const found = strategyOf(kind).validateCreate(filled(kind, object));
    expect(found.map(({ field }) => field).filter((field) => field.includes('finalizers'))).toEqual(fields);
  });

  it('a secret keeps plain texts among its data', () => {
    expect(filled('Secret', { stringData: { a: 'hi' } })).toMatchObject({ data: { a: 'aGk=' }, type: 'Opaque' });
  });

  it('a headless service has no address of its own', () => {
    const spec = { clusterIP: 'None', ports: [{ port: 80 }], selector: { a: 'b' } };
    expect(filled('Service', { spec })).toMatchObject({ spec: { clusterIPs: ['None'], ipFamilies: ['IPv4'] } });
  });

  it('wrong types are a bad request', () => {
    expect(() => strategyOf('ConfigMap').prune({ data: { a: 1 } })).toThrow(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    );
  });
});

it.each([
  ['ray', true],
  ['ray:latest', true],
  ['registry:5000/ray', true],
  ['ray:2.9', false],
  ['ray@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', false],
  ['Not An Image', false],
  ['', false],
])('whether %s is pulled every time: %s', (image, isLatest) => expect(isLatestImage(image)).toBe(isLatest));
