import { ApiError, type CallOptions, isNotFound, type KubeClient, type ResourceType } from '@manta/kube';

/**
 * A kind whose installed CRD is outdated. Checked without permission to read CRDs: a dry-run create with strict field validation contains
 * the newest fields, and the API server names unknown ones. Nothing is stored.
 */
export interface OutdatedKind {
  readonly kind: string;
  /** e.g. `spec.tlsOptions`. */
  readonly unknownFields: readonly string[];
}

const container = { name: 'probe', image: 'probe' };
const template = { spec: { containers: [container] } };
const clusterSpec = {
  headGroupSpec: { template, rayStartParams: {}, resources: {}, labels: {}, ingressOptions: { path: '/' } },
  workerGroupSpecs: [
    {
      groupName: 'probe',
      template,
      rayStartParams: {},
      numOfHosts: 1,
      idleTimeoutSeconds: 60,
      priority: 0,
      resources: {},
      labels: {},
    },
  ],
  autoscalerOptions: { version: 'v2', command: [], args: [] },
  authOptions: { mode: 'disabled', enableK8sTokenAuth: false },
  gcsFaultToleranceOptions: { backend: 'redis', storage: {} },
  historyServerOptions: {},
  networkPolicy: {},
  tlsOptions: { enabled: false },
  upgradeStrategy: { type: 'None' },
  managedBy: 'ray.io/kuberay-operator',
};
const jobSpec = {
  rayClusterSpec: clusterSpec,
  submissionMode: 'HTTPMode',
  backoffLimit: 0,
  preRunningDeadlineSeconds: 60,
  submitterConfig: { backoffLimit: 2 },
  deletionStrategy: { deletionRules: [{ policy: 'DeleteNone', condition: { jobStatus: 'FAILED', ttlSeconds: 0 } }] },
};

const PROBES: readonly { readonly kind: string; readonly plural: string; readonly spec: unknown }[] = [
  { kind: 'RayCluster', plural: 'rayclusters', spec: clusterSpec },
  { kind: 'RayJob', plural: 'rayjobs', spec: jobSpec },
  {
    kind: 'RayService',
    plural: 'rayservices',
    spec: {
      rayClusterConfig: clusterSpec,
      suspend: false,
      excludeHeadPodFromServeSvc: false,
      rayClusterDeletionDelaySeconds: 60,
    },
  },
  { kind: 'RayCronJob', plural: 'raycronjobs', spec: { jobTemplate: jobSpec, schedule: '0 0 * * *', timeZone: 'UTC' } },
];

/** The result of checking the installed CRDs. */
export interface CrdAges {
  /** The kinds whose CRD lacks fields that we know. Kinds that are not served, or that may not be created, are not judged. */
  readonly outdated: readonly OutdatedKind[];
  /** False while RayClusters are not served or the check failed: CRDs that are installed later may be outdated. */
  readonly isSettled: boolean;
}

export async function findOutdatedKinds(
  client: KubeClient,
  namespace: string,
  call: CallOptions = {},
): Promise<CrdAges> {
  const answers = await Promise.all(
    PROBES.map(async ({ kind, plural, spec }) => {
      const type: ResourceType = { group: 'ray.io', version: 'v1', plural, kind, isNamespaced: true };
      const object = { apiVersion: 'ray.io/v1', kind, metadata: { generateName: 'manta-probe-', namespace }, spec };
      try {
        await client.create(type, object, { ...call, dryRun: true, fieldValidation: 'Strict' });
        return { kind, unknownFields: [], isJudged: true };
      } catch (error) {
        const isJudged = error instanceof ApiError && error.code < 500 && !isNotFound(error);
        return { kind, unknownFields: isJudged ? unknownFieldsIn(error.message) : [], isJudged };
      }
    }),
  );
  return {
    outdated: answers.flatMap(({ kind, unknownFields }) => (unknownFields.length > 0 ? [{ kind, unknownFields }] : [])),
    isSettled: answers.some(({ kind, isJudged }) => kind === 'RayCluster' && isJudged),
  };
}

/** Reads the server's sentence: `strict decoding error: unknown field "spec.a", unknown field "spec.b"`. */
export function unknownFieldsIn(message: string): readonly string[] {
  return [...message.matchAll(/unknown field "([^"]+)"/g)].map((match) => match[1] ?? '');
}
