import type { RayClusterSpec, RayJobSpec, RayServiceSpec, WorkerGroupSpec } from '@manta/api';
import type { Manifest } from '@manta/insight';
import type { Choices } from '../choices.ts';
import { NAMESPACE } from './stage.ts';

/** The object that a walk edits. */
export type Edited =
  | { readonly kind: 'RayCluster'; readonly spec: RayClusterSpec }
  | { readonly kind: 'RayService'; readonly spec: RayServiceSpec }
  | { readonly kind: 'RayJob'; readonly spec: RayJobSpec };

export const NAME = 'demo';

export function manifestOf({ kind, spec }: Edited): Manifest {
  return { apiVersion: 'ray.io/v1', kind, metadata: { name: NAME, namespace: NAMESPACE }, spec };
}

/** A first version of an object. */
export function anyObject(choices: Choices): Edited {
  const cluster = clusterSpec(choices);
  switch (choices.pick(4)) {
    case 2:
      return { kind: 'RayService', spec: serviceSpec(choices) };
    case 3:
      return { kind: 'RayJob', spec: jobSpec(choices) };
    default:
      return { kind: 'RayCluster', spec: cluster };
  }
}

function clusterSpec(choices: Choices): RayClusterSpec {
  const names = ['x', 'y'].slice(0, 1 + choices.pick(2));
  return {
    rayVersion: '2.52.0',
    ...(choices.chance(0.4) ? { upgradeStrategy: { type: 'Recreate' } } : {}),
    ...(choices.chance(0.2) ? { enableInTreeAutoscaling: true } : {}),
    ...(choices.chance(0.2) ? { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } } : {}),
    headGroupSpec: { rayStartParams: {}, template: template('ray:1') },
    workerGroupSpecs: names.map((name) => group(name, 1 + choices.pick(3), choices.chance(0.2) ? 2 : 1)),
  };
}

function group(groupName: string, replicas: number, numOfHosts = 1): WorkerGroupSpec {
  return {
    groupName,
    replicas,
    minReplicas: 0,
    maxReplicas: 5,
    numOfHosts,
    rayStartParams: {},
    template: template('ray:1'),
  };
}

const PORTS = { 'gcs-server': 6379, dashboard: 8265, client: 10001, serve: 8000 };

function template(image: string) {
  const resources = { requests: { cpu: '1', memory: '1Gi' } };
  const ports = Object.entries(PORTS).map(([name, containerPort]) => ({ name, containerPort }));
  return { spec: { containers: [{ name: 'ray', image, resources, ports }] } };
}

function serviceSpec(choices: Choices): RayServiceSpec {
  return {
    serveConfigV2: configOf('v1'),
    rayClusterDeletionDelaySeconds: choices.pick(2) * 20,
    upgradeStrategy: anyStrategy(choices),
    rayClusterConfig: {
      rayVersion: '2.52.0',
      // Incremental upgrades need the autoscaler.
      ...(choices.chance(0.7) ? { enableInTreeAutoscaling: true } : {}),
      headGroupSpec: { rayStartParams: {}, template: template('ray:1') },
      workerGroupSpecs: [group('x', 1)],
    },
  };
}

function configOf(code: string): string {
  return `applications:\n- name: app\n  route_prefix: /\n  import_path: ${code}\n`;
}

function anyStrategy(choices: Choices): NonNullable<RayServiceSpec['upgradeStrategy']> {
  if (choices.chance(0.15)) return { type: 'None' };
  if (choices.chance(0.6)) return { type: 'NewCluster' };
  const clusterUpgradeOptions = {
    maxSurgePercent: 100,
    stepSizePercent: 50,
    intervalSeconds: 2,
    gatewayClassName: 'manta',
  };
  return { type: 'NewClusterWithIncrementalUpgrade', clusterUpgradeOptions };
}

function jobSpec(choices: Choices): RayJobSpec {
  return {
    entrypoint: 'python a.py',
    submissionMode: choices.chance(0.5) ? 'HTTPMode' : 'K8sJobMode',
    ...(choices.chance(0.5) ? { shutdownAfterJobFinishes: true } : {}),
    backoffLimit: choices.pick(2),
    rayClusterSpec: {
      rayVersion: '2.52.0',
      headGroupSpec: { rayStartParams: {}, template: template('ray:1') },
      workerGroupSpecs: [group('x', 1 + choices.pick(2))],
    },
  };
}

/** Another version of an object. Some edits change nothing. */
export function anyEdit(edited: Edited, choices: Choices, podNames: readonly string[]): Edited {
  switch (edited.kind) {
    case 'RayCluster':
      return { ...edited, spec: editCluster(edited.spec, choices, podNames) };
    case 'RayService':
      return { ...edited, spec: editService(edited.spec, choices, podNames) };
    case 'RayJob':
      return { ...edited, spec: editJob(edited.spec, choices) };
  }
}

function editCluster(spec: RayClusterSpec, choices: Choices, podNames: readonly string[]): RayClusterSpec {
  const groups = spec.workerGroupSpecs ?? [];
  const at = choices.pick(Math.max(1, groups.length));
  const change = (fields: Partial<WorkerGroupSpec>): RayClusterSpec => ({
    ...spec,
    workerGroupSpecs: groups.map((each, index) => (index === at ? { ...each, ...fields } : each)),
  });
  switch (choices.pick(13)) {
    case 0:
    case 1:
      return change({ replicas: choices.pick(5) });
    case 2:
      return change({ minReplicas: choices.pick(3), maxReplicas: 3 + choices.pick(3) });
    case 3:
      return { ...spec, workerGroupSpecs: groups.slice(1) };
    case 4: {
      const name = ['x', 'y', 'z'].find((each) => groups.every(({ groupName }) => groupName !== each));
      return name === undefined ? spec : { ...spec, workerGroupSpecs: [...groups, group(name, 1 + choices.pick(2))] };
    }
    case 5:
      return change({ suspend: choices.chance(0.5) });
    case 6:
      return { ...spec, suspend: choices.chance(0.5) };
    case 7:
      return { ...spec, headGroupSpec: { ...spec.headGroupSpec, template: template(`ray:${choices.pick(4)}`) } };
    case 8:
      return change({ template: template(`ray:${choices.pick(4)}`) });
    case 9:
      return { ...spec, upgradeStrategy: { type: choices.chance(0.5) ? 'Recreate' : 'None' } };
    case 10:
      return change({ numOfHosts: 1 + choices.pick(2) });
    case 11: {
      const workers = podNames.filter((name) => !name.includes('-head'));
      const named = workers[choices.pick(Math.max(1, workers.length))];
      return named === undefined ? spec : change({ scaleStrategy: { workersToDelete: [named] } });
    }
    default:
      return { ...spec, rayVersion: choices.chance(0.5) ? '2.52.0' : '2.53.0' };
  }
}

function editService(spec: RayServiceSpec, choices: Choices, podNames: readonly string[]): RayServiceSpec {
  switch (choices.pick(6)) {
    case 0:
      return { ...spec, serveConfigV2: configOf(`v${choices.pick(4)}`) };
    case 1:
      return { ...spec, suspend: choices.chance(0.5) };
    case 2:
      return { ...spec, upgradeStrategy: anyStrategy(choices) };
    case 3:
      return { ...spec, rayClusterDeletionDelaySeconds: choices.pick(3) * 10 };
    default:
      return { ...spec, rayClusterConfig: editCluster(spec.rayClusterConfig, choices, podNames) };
  }
}

function editJob(spec: RayJobSpec, choices: Choices): RayJobSpec {
  switch (choices.pick(5)) {
    case 0:
    case 1:
      return { ...spec, suspend: choices.chance(0.5) };
    case 2:
      return { ...spec, entrypoint: `python ${choices.pick(4)}.py` };
    case 3:
      return { ...spec, ttlSecondsAfterFinished: choices.pick(100), shutdownAfterJobFinishes: true };
    default:
      return spec.rayClusterSpec === undefined
        ? spec
        : { ...spec, rayClusterSpec: editCluster(spec.rayClusterSpec, choices, []) };
  }
}
