import { existsSync } from 'node:fs';
import {
  defaultFeatureGates,
  type KubeObject,
  type RayCluster,
  type RayClusterSpec,
  readOperatorEnv,
  withRayClusterDefaults,
} from '@manta/api';
import { type BuildContext, buildRedisCleanupJob, desiredResources } from '@manta/plan';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { childrenOf, type Installed, isLeftAlone } from './children-of-cluster.ts';
import { installCrds } from './ray-api.ts';
import {
  type Answered,
  normalise,
  oracleFolder,
  type RecordedScenario,
  readScenarios,
  type Snapshot,
  type SnapshotObjects,
} from './recorded-scenarios.ts';
import { storeCluster, withServerDefaults } from './server-defaults.ts';

const isPresent = existsSync(oracleFolder);
const leftOut = isPresent ? '' : `; left out, since there are no recordings at ${oracleFolder}`;

/** What the builders answer for; the rest of a snapshot is other code's work. */
const BUILT = new Set([
  'Pod',
  'Service',
  'Ingress',
  'Route',
  'Role',
  'RoleBinding',
  'ServiceAccount',
  'Secret',
  'PersistentVolumeClaim',
]);
const DESIRED = ['desiredCPU', 'desiredMemory', 'desiredGPU', 'desiredTPU'] as const;

interface Difference {
  readonly reason: string;
  /** Changes the recording into what it would be if the peer did as we do. */
  readonly apply: (golden: Answered, all: Readonly<Record<string, RecordedScenario>>) => void;
}

const withQuotedFolder = (text: string) => text.replace('--temp-dir=/tmp/my ray ', '--temp-dir="/tmp/my ray" ');

const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'static-start-params-head': {
    reason: 'a value that a shell would split is quoted',
    apply: (golden) => {
      const [ray] = golden['Pod/small-head-#1'].spec.containers;
      ray.args = ray.args.map(withQuotedFolder);
      for (const variable of ray.env) if (variable.value) variable.value = withQuotedFolder(variable.value);
    },
  },
  'static-command-contains-ray-start': {
    reason: 'a user who starts Ray by separate words starts it only once',
    apply: (golden) => {
      const [ray] = golden['Pod/small-workers-worker-#1'].spec.containers;
      ray.command = ['ray', 'start'];
      delete ray.args;
    },
  },
  'static-serve-service-no-port': {
    reason: 'a serve Service that cannot be made does not keep the pods from being made',
    apply: (golden, all) => {
      const { objects } = (all['static-small'] as RecordedScenario).snapshots[0] as Snapshot;
      for (const key of Object.keys(objects)) if (key.startsWith('Pod/')) golden[key] = objects[key];
      golden['RayCluster/small'] = objects['RayCluster/small'];
    },
  },
  'static-desired-resources': {
    reason: 'replicas count as far as they are allowed',
    apply: (golden) => {
      golden['RayCluster/groups3'].status = {
        desiredCPU: '4700m',
        desiredMemory: '9788178944',
        desiredGPU: '2',
        desiredTPU: '8',
      };
    },
  },
  'static-groups': {
    reason: 'replicas that are not given count as the minimum',
    apply: (golden) => {
      Object.assign(golden['RayCluster/groups3'].status, { desiredCPU: '6', desiredMemory: '7Gi' });
    },
  },
  'gate-embedded-storage-drift': {
    reason: 'the recording is of a claim that was made before the spec asked for more',
    apply: (golden) => {
      golden['PersistentVolumeClaim/small-gcs-pvc'].spec.resources.requests.storage = '6Gi';
    },
  },
};

describe.skipIf(!isPresent)(`what we build equals what was recorded${leftOut}`, () => {
  const plane = sharedControlPlane();
  const all = isPresent ? readScenarios('^(static|sample|config|env|gate)-') : {};
  const names = Object.keys(all).filter((name) => !usesBatchScheduler(all[name] as RecordedScenario));
  const deletions = isPresent ? readScenarios('^dyn-gcsft-delete') : {};
  const cleanups = Object.keys(deletions).filter((name) =>
    hasKind(pick(deletions[name] as RecordedScenario, 'Job'), 'Job'),
  );
  let built: Readonly<Record<string, SnapshotObjects>> = {};

  beforeAll(async () => {
    await installCrds(plane);
    const objects: Record<string, { namespace: string; objects: readonly KubeObject[] }> = {};
    for (const name of names) {
      const scenario = all[name] as RecordedScenario;
      objects[name] = {
        namespace: scenario.namespace,
        objects: await build(scenario, pick(scenario, 'Pod'), childrenIn),
      };
    }
    for (const name of cleanups) {
      const scenario = deletions[name] as RecordedScenario;
      objects[name] = {
        namespace: scenario.namespace,
        objects: await build(scenario, pick(scenario, 'Job'), cleanupIn),
      };
    }
    built = normalise(objects);
  });

  it.each(names)('%s', (name) => {
    const golden = structuredClone(pick(all[name] as RecordedScenario, 'Pod').objects);
    DIFFERENCES[name]?.apply(golden, all);
    expect(comparable(built[name] ?? {}, BUILT)).toEqual(comparable(golden, BUILT));
  });

  it.each(cleanups)('the Redis cleanup Job of %s', (name) => {
    const { objects } = pick(deletions[name] as RecordedScenario, 'Job');
    const jobs = new Set(['Job']);
    expect(comparable(built[name] ?? {}, jobs)).toEqual(comparable(objects, jobs));
  });

  async function build({ operator }: RecordedScenario, { clusters }: Snapshot, childrenIn: Children) {
    const context = contextOf(operator);
    const installed = installedBy(operator);
    const objects: KubeObject[] = [];
    for (const written of clusters) {
      const cluster = withRayClusterDefaults(await storeCluster(plane, written));
      if (isLeftAlone(cluster, context.gates, installed)) continue;
      const spec = cluster.spec as RayClusterSpec;
      objects.push({ ...cluster, status: desiredResources(spec) } as KubeObject);
      for (const child of childrenIn(cluster, spec, context, installed)) {
        objects.push(await withServerDefaults(plane, child));
      }
    }
    return objects;
  }
});

type Children = typeof childrenOf;
const childrenIn: Children = childrenOf;
const cleanupIn: Children = (cluster: RayCluster, spec, context) =>
  [buildRedisCleanupJob(cluster, spec, context)].filter((job) => job !== undefined);

function contextOf(operator: RecordedScenario['operator']): BuildContext {
  return {
    env: readOperatorEnv(operator.env ?? {}),
    gates: { ...defaultFeatureGates(), ...operator.featureGates },
    operatorVersion: '0.0.0-test',
    podDefaults: operator.config ?? {},
  };
}

function installedBy({ crds = [] }: RecordedScenario['operator']): Installed {
  const has = (part: string) => crds.some((file) => file.includes(part));
  return { certManager: has('cert-manager'), openShift: has('route') };
}

/** Such an operator changes every pod after it was built. */
function usesBatchScheduler({ operator }: RecordedScenario): boolean {
  return Object.keys(operator.config ?? {}).some((key) => key.toLowerCase().includes('batchscheduler'));
}

/** The first moment with objects of the kind, else the first. */
function pick({ snapshots }: RecordedScenario, kind: string): Snapshot {
  return (snapshots.find((snapshot) => hasKind(snapshot, kind)) ?? snapshots[0]) as Snapshot;
}

function hasKind({ objects }: Snapshot, kind: string): boolean {
  return Object.keys(objects).some((key) => key.startsWith(`${kind}/`));
}

/** Objects of the kinds without what only time brings, and the sums in the clusters' status. */
function comparable(objects: SnapshotObjects, kinds: ReadonlySet<string>): SnapshotObjects {
  return Object.fromEntries(
    Object.entries(objects).flatMap(([key, object]): readonly [string, Answered][] => {
      const kind = key.slice(0, key.indexOf('/'));
      if (kind === 'RayCluster') return kinds === BUILT && object.status ? [[key, desiredIn(object)]] : [];
      if (!kinds.has(kind) || isOfOthers(object)) return [];
      const { 'oracle.identity': _, status, ...rest } = object;
      return [[key, kind === 'Pod' ? { ...rest, qosClass: status.qosClass } : rest]];
    }),
  );
}

function isOfOthers({ metadata }: Answered): boolean {
  return metadata.ownerReferences?.some(({ kind }: { kind: string }) => kind !== 'RayCluster') ?? false;
}

function desiredIn({ status }: Answered): Answered {
  return Object.fromEntries(DESIRED.map((field) => [field, status[field]]));
}
