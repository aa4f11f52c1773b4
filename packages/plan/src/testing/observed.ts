import {
  defaultFeatureGates,
  type Environment,
  type FeatureGates,
  type RayCluster,
  type RayClusterSpec,
  readOperatorEnv,
  type WorkerGroupSpec,
} from '@manta/api';
import type { ObservedChildren, ObservedRayCluster, PodRecord, ServiceRecord } from '../raycluster/observed.ts';

/** What a test may set about a cluster and its environment. */
export interface ObservedOptions {
  readonly spec?: Partial<RayClusterSpec>;
  readonly metadata?: RayCluster['metadata'];
  readonly status?: RayCluster['status'];
  readonly pods?: readonly PodRecord[];
  readonly children?: Partial<ObservedChildren>;
  readonly env?: Environment;
  readonly gates?: Partial<FeatureGates>;
  readonly installed?: Partial<ObservedRayCluster['installed']>;
  readonly now?: number;
  readonly lastHolders?: ObservedRayCluster['lastHolders'];
  readonly unreadable?: ObservedRayCluster['unreadable'];
  readonly backoffs?: ObservedRayCluster['backoffs'];
  readonly rayNodes?: ObservedRayCluster['rayNodes'];
}

export const NOW = Date.parse('2026-08-01T12:00:00Z');
const CONTAINERS = [{ name: 'ray', image: 'rayproject/ray:2.52.0' }];
export const HEAD = { template: { spec: { containers: CONTAINERS } }, rayStartParams: {} };

/** A worker group; its name is `small` unless given. */
export function group(options: Partial<WorkerGroupSpec> = {}): WorkerGroupSpec {
  return {
    groupName: 'small',
    replicas: 1,
    minReplicas: 0,
    maxReplicas: 10,
    template: { spec: { containers: CONTAINERS } },
    ...options,
  };
}

/** The cluster `ml/demo` with the given differences, and its head Service. */
export function observed(options: ObservedOptions = {}): ObservedRayCluster {
  const metadata = {
    name: 'demo',
    namespace: 'ml',
    uid: 'cluster-uid',
    resourceVersion: '7',
    generation: 1,
    ...options.metadata,
  };
  const cluster: RayCluster = {
    metadata,
    spec: { headGroupSpec: HEAD, ...options.spec },
    ...(options.status === undefined ? {} : { status: options.status }),
  };
  return {
    now: options.now ?? NOW,
    cluster,
    pods: options.pods ?? [],
    children: { ...NO_CHILDREN, services: [headService()], ...options.children },
    context: {
      env: readOperatorEnv(options.env ?? {}),
      gates: { ...defaultFeatureGates(), ...options.gates },
      operatorVersion: '0.0.0-test',
      podDefaults: {},
    },
    installed: { certManager: false, openShift: false, ...options.installed },
    tokenBytes: new Uint8Array(32),
    lastHolders: options.lastHolders ?? new Map(),
    unreadable: options.unreadable ?? new Map(),
    backoffs: options.backoffs ?? new Map(),
    rayNodes: options.rayNodes ?? new Map(),
  };
}

const NO_CHILDREN: ObservedChildren = {
  services: [],
  serviceAccounts: [],
  roles: [],
  roleBindings: [],
  secrets: [],
  ingresses: [],
  routes: [],
  claims: [],
  cleanupJobs: [],
  budgets: [],
};

export function headService(options: Partial<ServiceRecord> = {}): ServiceRecord {
  return {
    name: 'demo-head-svc',
    uid: 'service-uid',
    owner: 'cluster-uid',
    labels: { 'ray.io/cluster': 'demo', 'ray.io/node-type': 'head', 'ray.io/identifier': 'demo-head' },
    clusterIP: 'None',
    ports: [{ name: 'dashboard', nodePort: undefined, targetPort: 8265 }],
    ...options,
  };
}

/** A running, ready head. */
export function headPod(options: Partial<PodRecord> = {}): PodRecord {
  return {
    ...pod('demo-head-abcde', 'headgroup'),
    nodeType: 'head',
    replicaIndex: undefined,
    head: {
      readiness: { status: 'True', reason: 'HeadPodRunningAndReady', message: '' },
      recreateHash: '',
      operatorVersion: '',
    },
    ...options,
  };
}

/** A running, ready worker of the group `small`; its name and uid carry the index. */
export function worker(index: number, options: Partial<PodRecord> = {}): PodRecord {
  return { ...pod(`demo-small-worker-${index}`, 'small'), replicaIndex: index, ...options };
}

function pod(name: string, groupName: string): PodRecord {
  return {
    name,
    namespace: 'ml',
    uid: `uid-${name}`,
    nodeType: 'worker',
    group: groupName,
    cluster: 'demo',
    replicaIndex: 0,
    replicaName: undefined,
    hostIndex: undefined,
    owner: 'cluster-uid',
    createdAt: NOW - 60_000,
    isTerminating: false,
    phase: 'Running',
    restartPolicy: 'Always',
    podIP: '10.0.0.1',
    node: 'node-1',
    ready: 'True',
    rayTerminated: undefined,
    head: undefined,
  };
}
