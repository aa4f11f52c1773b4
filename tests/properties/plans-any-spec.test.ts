import { defaultFeatureGates, type JSONSchemaProps, type RayCluster } from '@manta/api';
import { crds } from '@manta/api/crds';
import type { ObservedRayCluster } from '@manta/plan';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullObject, type Json } from '../../packages/api/src/testing/from-schema.ts';
import { headPod, observed, worker } from '../../packages/plan/src/testing/observed.ts';
import { TinyWorld } from '../../packages/plan/src/testing/tiny-world.ts';

const schema = crds()
  .find(({ spec }) => spec.names.kind === 'RayCluster')
  ?.spec.versions.find(({ name }) => name === 'v1')?.schema?.openAPIV3Schema;

/** What a value may become without the API server noticing. */
const TEXTS = ['', 'a', '-1', 'true', 'v2', '2.53', 'Never', '$(exit 1); "', '%n', 'ü'.repeat(300)];
const KEYS = [
  '',
  'cpu',
  'memory',
  'nvidia.com/gpu',
  'google.com/tpu',
  'num-cpus',
  'resources',
  'constructor',
  '__proto__',
];
const QUANTITIES = [0, 1, -5, '0', '100m', '1e3', '0.5', '-1', '9999999999999999999Gi', '1n'];
const NUMBERS = [0, 1, 2, -1, 2 ** 31 - 1, -(2 ** 31)];

type Dice = (sides: number) => number;

/** One value in `oneIn` is changed to another that the schema admits. */
function disturbed(at: JSONSchemaProps, value: Json, dice: Dice, oneIn: number): Json {
  const isHit = dice(oneIn) === 0;
  if (at.properties && isFields(value)) {
    const { properties, required = [] } = at;
    const fields = Object.entries(value).filter(([key]) => required.includes(key) || dice(oneIn) !== 0);
    return Object.fromEntries(
      fields.map(([key, field]) => [key, disturbed(properties[key] ?? {}, field, dice, oneIn)]),
    );
  }
  if (Array.isArray(value)) return disturbedList(at, value, dice, oneIn);
  if (typeof at.additionalProperties === 'object') {
    const of = at.additionalProperties;
    const keys = isHit ? KEYS.filter(() => dice(3) === 0) : ['key'];
    return Object.fromEntries(keys.map((key) => [key, disturbed(of, fullObject(of), dice, isHit ? 1 : oneIn)]));
  }
  return isHit ? otherThan(at, value, dice) : value;
}

function disturbedList(at: JSONSchemaProps, value: readonly Json[], dice: Dice, oneIn: number): Json {
  const [items] = [at.items ?? {}].flat();
  const all = dice(oneIn) === 0 ? [[], [...value, ...value]][dice(2)] : value;
  return (all ?? []).map((item) => disturbed(items ?? {}, item, dice, oneIn));
}

function otherThan(at: JSONSchemaProps, value: Json, dice: Dice): Json {
  const choices: readonly Json[] =
    at['x-kubernetes-int-or-string'] === true
      ? QUANTITIES
      : (at.enum?.map(String) ?? BY_TYPE[at.type ?? ''] ?? [value]);
  return choices[dice(choices.length)] ?? value;
}

const BY_TYPE: Readonly<Record<string, readonly Json[]>> = {
  string: TEXTS,
  integer: NUMBERS,
  number: NUMBERS,
  boolean: [true, false],
};

function isFields(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Mostly without the fields whose every combination is refused by some rule, so that most clusters get past validation. */
function likely(spec: Json, dice: Dice): Json {
  if (!isFields(spec) || dice(8) === 0) return spec;
  const fields = Object.entries(spec).filter(([key]) => !DELICATE.includes(key));
  const { headGroupSpec = {}, workerGroupSpecs = [], ...rest } = Object.fromEntries(fields);
  const groups: readonly Json[] = Array.isArray(workerGroupSpecs) ? workerGroupSpecs : [];
  return {
    ...rest,
    rayVersion: '2.60.0',
    upgradeStrategy: { type: 'Recreate' },
    authOptions: { mode: 'token' },
    ...(dice(2) === 0 ? { gcsFaultToleranceOptions: { redisAddress: 'redis' } } : {}),
    headGroupSpec: likelyGroup(headGroupSpec, {}, dice),
    workerGroupSpecs: groups.map((each, index) =>
      likelyGroup(each, { groupName: `g${index}`, minReplicas: 0, maxReplicas: NUMBERS[dice(5)] ?? 3 }, dice),
    ),
  };
}

const DELICATE = [
  'managedBy',
  'networkPolicy',
  'tlsOptions',
  'historyServerOptions',
  'autoscalerOptions',
  'gcsFaultToleranceOptions',
];
const DELICATE_IN_GROUPS = ['resources', 'labels', 'idleTimeoutSeconds', 'priority', 'suspend'];

function likelyGroup(at: Json, given: { readonly [key: string]: Json }, dice: Dice): Json {
  const fields = isFields(at) ? Object.entries(at).filter(([key]) => !DELICATE_IN_GROUPS.includes(key)) : [];
  const usual: Json = { spec: { containers: [{ name: 'ray', image: 'ray' }] } };
  return { ...Object.fromEntries(fields), ...given, ...(dice(2) === 0 ? { template: usual } : {}) };
}

const anyCluster: fc.Arbitrary<RayCluster> = fc
  .record({
    seed: fc.infiniteStream(fc.nat()),
    oneIn: fc.constantFrom(4, 20, 100, 1000),
    annotations: fc.dictionary(
      fc.constantFrom(
        'ray.io/ft-enabled',
        'ray.io/enable-serve-service',
        'ray.io/gcs-ft-deletion-timeout',
        '__proto__',
      ),
      fc.constantFrom(...TEXTS),
    ),
    isDeleted: fc.constantFrom(false, false, true),
  })
  .map(({ seed, oneIn, annotations, isDeleted }) => {
    const dice: Dice = (sides) => (seed.next().value ?? 0) % sides;
    const at = schema?.properties ?? {};
    const spec = at['spec'] ?? {};
    const status = at['status'] ?? {};
    const deletion = {
      deletionTimestamp: '2026-08-01T11:59:00Z',
      finalizers: ['ray.io/gcs-ft-redis-cleanup-finalizer'],
    };
    return {
      metadata: { name: 'demo', namespace: 'ml', uid: 'cluster-uid', annotations, ...(isDeleted ? deletion : {}) },
      spec: likely(disturbed(spec, fullObject(spec), dice, oneIn), dice),
      ...(dice(2) === 0 ? {} : { status: disturbed(status, fullObject(status), dice, oneIn) }),
    } as unknown as RayCluster;
  });

const gates = Object.fromEntries(Object.keys(defaultFeatureGates()).map((name) => [name, true]));

function worldOf(cluster: RayCluster): TinyWorld {
  const base = observed({ gates, pods: [headPod(), worker(0, { group: 'g0' })] });
  const seen: ObservedRayCluster = { ...base, cluster, installed: { certManager: true, openShift: false } };
  return new TinyWorld(seen);
}

describe('whatever the API server accepts', () => {
  it('can be planned for, pass after pass, without an exception', () => {
    let acted = 0;
    fc.assert(
      fc.property(anyCluster, (cluster) => {
        const world = worldOf(cluster);
        for (let pass = 0; pass < 4; pass += 1) {
          acted += world.pass().done.length;
          world.tick();
        }
        expect(world.pods.length).toBeLessThan(5000);
      }),
      { numRuns: 300 },
    );
    expect(acted).toBeGreaterThan(100);
  });
});
