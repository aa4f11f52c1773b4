import {
  defaultFeatureGates,
  type RayCluster,
  type RayClusterSpec,
  readOperatorEnv,
  withRayClusterDefaults,
} from '@manta/api';
import { crds } from '@manta/api/crds';
import { type BuildContext, buildRedisCleanupJob, desiredResources } from '@manta/plan';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { damaged, fullObject, type Json } from '../../packages/api/src/testing/from-schema.ts';
import { childrenOf } from '../real/children-of-cluster.ts';

const schema = crds()
  .find(({ spec }) => spec.names.kind === 'RayCluster')
  ?.spec.versions.find(({ name }) => name === 'v1')?.schema?.openAPIV3Schema;
const full = fullObject(schema?.properties?.['spec'] ?? {});
const installed = { certManager: true, openShift: false };
const context: BuildContext = {
  env: readOperatorEnv({}),
  gates: {
    ...defaultFeatureGates(),
    RayClusterHistoryServer: true,
    RayClusterMTLS: true,
    GCSFaultToleranceEmbeddedStorage: true,
  },
  operatorVersion: '0.0.0-test',
  podDefaults: {},
};

/** What is taken away from a cluster that has every field. */
interface Gaps {
  readonly removals: readonly (readonly number[])[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly isEmbedded: boolean;
}

const gaps: fc.Arbitrary<Gaps> = fc.record({
  removals: fc.array(fc.array(fc.nat(200), { minLength: 1, maxLength: 9 }), { maxLength: 40 }),
  annotations: fc.dictionary(
    fc.constantFrom('ray.io/ft-enabled', 'ray.io/enable-serve-service', 'a'),
    fc.constant('true'),
  ),
  isEmbedded: fc.boolean(),
});

/** A cluster with every field that the schema knows, except those that were taken away; nothing in it can be changed. */
function clusterWith({ removals, annotations, isEmbedded }: Gaps): RayCluster {
  const spec = removals.reduce((left, turns) => damaged(left, { turns, value: undefined }), chosen(isEmbedded));
  const metadata = { name: 'demo', namespace: 'default', uid: 'uid-demo', annotations };
  return frozen({ metadata, spec: withoutNulls(spec) }) as unknown as RayCluster;
}

/** The API server takes nulls out of what it stores. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return items.filter((item) => item !== null).map(withoutNulls);
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutNulls(field)]));
}

function chosen(isEmbedded: boolean): Json {
  const storage = { size: '1Gi' };
  return {
    ...(full as Record<string, Json>),
    suspend: false,
    gcsFaultToleranceOptions: isEmbedded ? { backend: 'rocksdb', storage } : { redisAddress: 'redis:6379' },
    authOptions: { mode: 'token' },
  };
}

/** What the schema insists on, and the one rule of validation that every builder relies on: each template has a container. */
function isWhole(spec: Partial<RayClusterSpec> | undefined): spec is RayClusterSpec {
  const templates = [spec?.headGroupSpec?.template, ...(spec?.workerGroupSpecs?.map(({ template }) => template) ?? [])];
  const hasNames = spec?.workerGroupSpecs?.every(({ groupName }) => Boolean(groupName)) ?? true;
  return hasNames && templates.every((template) => (template?.spec?.containers?.length ?? 0) > 0);
}

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) frozen(item);
    Object.freeze(value);
  }
  return value;
}

function build(cluster: RayCluster) {
  const complete = withRayClusterDefaults(cluster);
  const spec = complete.spec as RayClusterSpec;
  return [
    ...childrenOf(complete, spec, context, installed),
    ...childrenOf(complete, spec, context, { ...installed, openShift: true }),
    buildRedisCleanupJob(complete, spec, context),
    desiredResources(spec),
  ];
}

describe('whatever the spec leaves out', () => {
  it('every object is built, the same each time, and the cluster is not touched', () => {
    let built = 0;
    fc.assert(
      fc.property(gaps, (given) => {
        const cluster = clusterWith(given);
        if (!isWhole(cluster.spec)) return;
        built++;
        expect(JSON.stringify(build(cluster))).toBe(JSON.stringify(build(cluster)));
      }),
      { numRuns: 80 },
    );
    expect(built).toBeGreaterThan(10);
  });
});
