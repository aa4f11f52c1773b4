import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crds } from './crds.ts';
import { withRayClusterDefaults } from './defaults.ts';
import { defaultFeatureGates, type FeatureGates } from './feature-gates.ts';
import { headPodReady } from './head-pod-ready.ts';
import { isRecord } from './loose.ts';
import * as predicates from './predicates.ts';
import { areAllPodsRunning, isGatewayReady, isHttpRouteReady, jobOutcome } from './readiness.ts';
import { desiredWorkerPods, maxWorkerPods, minWorkerPods } from './replicas.ts';
import { type Damage, damaged, fullObject, type Json } from './testing/from-schema.ts';
import {
  admitRayCluster,
  admitRayJob,
  admitRayService,
  validateRayClusterMetadata,
  validateRayClusterPrerequisites,
  validateRayClusterSpec,
  validateRayClusterStatus,
  validateRayClusterUpgradeStrategy,
  validateRayCronJob,
  validateRayJobMetadata,
  validateRayJobSpec,
  validateRayJobStatus,
  validateRayServiceMetadata,
  validateRayServiceSpec,
  warnAboutRayClusterSpec,
} from './validate/index.ts';

/** Fits every parameter, since no type describes it. */
type Garbage = never;

const garbage: fc.Arbitrary<Json | undefined> = fc.oneof(
  fc.constantFrom<(Json | undefined)[]>(
    undefined,
    null,
    '',
    'true',
    '2.99.0',
    'rocksdb',
    'v2',
    'DenyAllEgress',
    'SidecarMode',
    0,
    -1,
    1e308,
    2 ** 53,
    -0.5,
    [],
    [null],
    [[]],
    {},
    { toString: null, length: -1 },
    { name: 5, value: {} },
    true,
    false,
  ),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
);

const damage: fc.Arbitrary<Damage> = fc.record({
  turns: fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 9 }),
  value: garbage,
});

type Fields = { readonly [key: string]: Json };

/** The object with fields replaced; `a.b[0].c` walks into it, and undefined removes. */
function amended(object: Json, changes: Readonly<Record<string, Json | undefined>>): Json {
  return Object.entries(changes).reduce((at: Json, [path, value]) => amend(at, path.split('.'), value), object);
}

function amend(object: Json, [key = '', ...rest]: readonly string[], value: Json | undefined): Json {
  const { [key]: field = {}, ...others } = object as Fields;
  const changed = rest.length === 0 ? value : amend(field, rest, value);
  if (Array.isArray(object))
    return object.map((item: Json, index) => (String(index) === key ? (changed ?? null) : item));
  return changed === undefined ? others : { ...others, [key]: changed };
}

/** Every field of the kind, with values that keep all rules: only so does damage reach each of them. */
function soundObject(crdName: string, changes: Readonly<Record<string, Json | undefined>>): Json {
  const crd = crds().find(({ metadata }) => metadata?.name === crdName);
  const schema = crd?.spec.versions.find(({ name }) => name === 'v1')?.schema?.openAPIV3Schema;
  if (!schema) throw new Error(`there is no schema for ${crdName}`);
  const metadata = { name: 'demo', labels: { a: 'b' }, annotations: { 'ray.io/initializing-timeout': '5m' } };
  return amended(fullObject(schema), { metadata, ...changes });
}

/** Makes the full cluster spec at a path a valid one. */
function soundCluster(at: string, backend: 'redis' | 'rocksdb'): Readonly<Record<string, Json | undefined>> {
  const options: Json =
    backend === 'redis'
      ? { backend, redisAddress: 'r', redisUsername: { value: 'u' }, redisPassword: { valueFrom: {} } }
      : { backend, storage: { size: '1Gi', accessModes: ['ReadWriteOnce'] } };
  const changes: Readonly<Record<string, Json | undefined>> = {
    rayVersion: '2.60.0',
    'autoscalerOptions.version': 'v2',
    'headGroupSpec.template.spec.restartPolicy': 'Never',
    'headGroupSpec.headService.metadata.name': undefined,
    'workerGroupSpecs.0.template.spec.restartPolicy': 'Never',
    'workerGroupSpecs.0.suspend': undefined,
    'upgradeStrategy.type': 'Recreate',
    'authOptions.mode': 'token',
    'authOptions.enableK8sTokenAuth': undefined,
    'historyServerOptions.collectorOptions.env': [
      { name: 'STORAGE_BACKEND', value: 'azureblob' },
      { name: 'AZURE_STORAGE_ACCOUNT_URL', valueFrom: {} },
    ],
    gcsFaultToleranceOptions: options,
  };
  return Object.fromEntries(Object.entries(changes).map(([path, value]) => [`${at}.${path}`, value]));
}

function soundJob(at: string): Readonly<Record<string, Json | undefined>> {
  return {
    ...soundCluster(`${at}.rayClusterSpec`, 'redis'),
    [`${at}.rayClusterSpec.enableInTreeAutoscaling`]: true,
    [`${at}.clusterSelector`]: { 'ray.io/cluster': 'mine' },
    [`${at}.submissionMode`]: 'K8sJobMode',
    [`${at}.suspend`]: false,
    [`${at}.shutdownAfterJobFinishes`]: false,
    [`${at}.ttlSecondsAfterFinished`]: 0,
    [`${at}.backoffLimit`]: 0,
    [`${at}.runtimeEnvYAML`]: '{"env_vars": {}}',
    [`${at}.deletionStrategy`]: {
      deletionRules: [
        { policy: 'DeleteSelf', condition: { jobStatus: 'FAILED', ttlSeconds: 1 } },
        { policy: 'DeleteNone', condition: { jobDeploymentStatus: 'Failed', ttlSeconds: 1 } },
      ],
    },
  };
}

const gatesOf = (on: boolean): FeatureGates =>
  Object.fromEntries(Object.keys(defaultFeatureGates()).map((name) => [name, on])) as FeatureGates;

type Use = (object: Garbage, gates: FeatureGates) => readonly unknown[];

/** What everything answers that may meet objects of a kind, for objects with random damage. */
function answersOnDamaged(sound: Json, use: Use, check: (answers: readonly unknown[]) => void): void {
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 6 }), fc.boolean(), (wounds, on) => {
      check(use(wounds.reduce(damaged, sound) as Garbage, gatesOf(on)));
    }),
    { numRuns: 1000 },
  );
}

function withoutMessage(answers: readonly unknown[]): readonly unknown[] {
  return answers.filter((answer) => isRecord(answer) && typeof answer['message'] !== 'string');
}

function refusals(answers: readonly unknown[]): readonly unknown[] {
  return answers.filter(isRecord);
}

interface Parts {
  readonly metadata: Garbage;
  readonly spec: Garbage;
  readonly annotations: unknown;
}

function partsOf(object: unknown): Parts {
  const { metadata, spec } = isRecord(object) ? object : {};
  return {
    metadata: metadata as Garbage,
    spec: spec as Garbage,
    annotations: isRecord(metadata) ? metadata['annotations'] : metadata,
  };
}

const parseYaml = (text: string): unknown => JSON.parse(text);

const useCluster: Use = (cluster, gates) => {
  const { metadata, spec, annotations } = partsOf(cluster);
  if (isRecord(cluster)) withRayClusterDefaults(cluster);
  return [
    validateRayClusterMetadata(metadata),
    validateRayClusterSpec(spec, annotations, gates),
    warnAboutRayClusterSpec(spec, gates),
    validateRayClusterPrerequisites(spec, gates, { certManager: true }),
    validateRayClusterUpgradeStrategy(cluster),
    validateRayClusterStatus(cluster),
    admitRayCluster(cluster),
    predicates.isGcsFaultToleranceEnabled(spec, annotations),
    predicates.isGcsFaultToleranceEmbedded(spec),
    predicates.usesAutoscalerV2(spec),
    predicates.isAuthEnabled(spec) || predicates.isK8sAuthEnabled(spec) || predicates.isTlsEnabled(spec, gates),
    predicates.isManagedExternally(spec),
    predicates.originOf(metadata),
    desiredWorkerPods(spec) + minWorkerPods(spec) + maxWorkerPods(spec),
  ];
};

const useJob: Use = (job, gates) => {
  const { metadata, spec, annotations } = partsOf(job);
  return [
    validateRayJobMetadata(metadata),
    validateRayJobSpec(spec, annotations, gates, parseYaml),
    validateRayJobStatus(job),
    admitRayJob(job),
  ];
};

const useService: Use = (service, gates) => {
  const { metadata, spec, annotations } = partsOf(service);
  return [
    validateRayServiceMetadata(metadata),
    validateRayServiceSpec(spec, annotations, gates),
    predicates.isIncrementalUpgradeEnabled(spec, gates),
    admitRayService(service),
  ];
};

const useCronJob: Use = (cronJob, gates) => [validateRayCronJob(cronJob, gates, parseYaml)];

const KINDS: Readonly<Record<string, readonly [Json, Use]>> = {
  'a RayCluster with Redis': [soundObject('rayclusters.ray.io', soundCluster('spec', 'redis')), useCluster],
  'a RayCluster with RocksDB': [soundObject('rayclusters.ray.io', soundCluster('spec', 'rocksdb')), useCluster],
  'a RayJob': [soundObject('rayjobs.ray.io', soundJob('spec')), useJob],
  'a RayService': [
    soundObject('rayservices.ray.io', {
      ...soundCluster('spec.rayClusterConfig', 'redis'),
      'spec.upgradeStrategy.type': 'NewClusterWithIncrementalUpgrade',
    }),
    useService,
  ],
  'a RayCronJob': [
    soundObject('raycronjobs.ray.io', {
      ...soundJob('spec.jobTemplate'),
      'spec.schedule': '@hourly',
      'spec.timeZone': 'UTC',
    }),
    useCronJob,
  ],
};

describe('garbage in any field never throws', () => {
  it.each(Object.entries(KINDS))('%s with every field passes all rules to begin with', (_kind, [sound, use]) => {
    expect(refusals(use(sound as Garbage, gatesOf(true)))).toEqual([]);
  });

  it.each(Object.entries(KINDS))('in %s', (_kind, [sound, use]) => {
    answersOnDamaged(sound, use, (answers) => {
      expect(withoutMessage(answers)).toEqual([]);
    });
    expect.hasAssertions();
  });

  it('in pods, Jobs, Gateways and routes', () => {
    const conditions: Json = [{ type: 'Ready', status: 'True', reason: 'ContainersNotReady', message: 'x' }];
    const state: Json = { waiting: { reason: 'a', message: 'b' }, terminated: { reason: 'a', message: 'b' } };
    const full: Json = {
      metadata: { name: 'a', namespace: 'b', labels: { 'ray.io/node-type': 'worker' } },
      status: {
        phase: 'Running',
        conditions,
        containerStatuses: [{ name: 'ray', state }],
        parents: [{ parentRef: { name: 'a', namespace: 'b' }, conditions }],
      },
    };
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), (wounds) => {
        const object = wounds.reduce(damaged, full) as Garbage;
        expect(headPodReady(object).reason).not.toBe('');
        expect([areAllPodsRunning([object]), isGatewayReady(object), isHttpRouteReady(object, object)]).toHaveLength(3);
        expect([undefined, 'Complete', 'Failed']).toContain(jobOutcome(object));
      }),
    );
  });
});
