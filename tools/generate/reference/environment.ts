import { OperatorEnvName, readOperatorEnv } from '../../../packages/api/src/operator-env.ts';
import type { OperatorEnv } from '../../../packages/api/src/operator-env.ts';

type Name = keyof typeof OperatorEnvName;

/** What each variable of the operator does, and the setting that it becomes. A new variable needs its entry here to compile. */
const VARIABLES: Readonly<Record<Name, readonly [setting: keyof OperatorEnv, description: string]>> = {
  EnableWebhooks: ['webhooks', 'Serve the validating webhooks.'],
  ClusterDomain: ['clusterDomain', 'Suffix of Service names.'],
  EnableInitContainerInjection: ['initContainerInjection', 'Workers wait in an init container until the head answers.'],
  EnableProbesInjection: ['probesInjection', 'Add liveness and readiness probes to Ray containers without probes.'],
  EnableLoginShell: ['loginShell', 'Start Ray with `bash -l`.'],
  EnableDeterministicHeadPodName: ['deterministicHeadPodName', 'Head pods are named `<cluster>-head`.'],
  EnableRayHeadClusterIpService: [
    'rayHeadClusterIpService',
    'The head Service has a ClusterIP instead of being headless.',
  ],
  EnableGcsFtRedisCleanup: ['gcsFtRedisCleanup', 'Delete the state in Redis together with its RayCluster.'],
  EnableRandomPodDelete: [
    'randomPodDelete',
    'The operator may choose the workers to delete although the autoscaler is on.',
  ],
  EnableZeroDowntime: ['zeroDowntime', 'A change of `rayClusterConfig` of a RayService starts an upgrade.'],
  UseIngressOnOpenShift: ['ingressOnOpenShift', 'Create an Ingress instead of a Route on OpenShift.'],
  DeleteRayJobAfterJobFinishes: [
    'deleteRayJobAfterJobFinishes',
    'Delete the RayJob, not only its RayCluster, when `shutdownAfterJobFinishes` applies.',
  ],
  RayClusterRequeueSeconds: [
    'rayClusterRequeueSeconds',
    'Seconds after which a RayCluster is reconciled again without a change.',
  ],
  RayJobTransitionGracePeriodSeconds: [
    'rayJobTransitionGracePeriodSeconds',
    'Seconds that the submitter may need to end after Ray reported the end of the job.',
  ],
  RayJobStatusCheckTimeoutSeconds: [
    'rayJobStatusCheckTimeoutSeconds',
    'Seconds without an answer of the head after which a RayJob fails.',
  ],
  WebhookCertSecret: [
    'webhookCertSecret',
    'Secret in which the operator keeps the webhook certificate that it issues. Only Manta.',
  ],
  WorkerDrainSeconds: [
    'workerDrainSeconds',
    'Seconds that a deleted worker may use to finish its work; 0: no drain. Only Manta.',
  ],
  EnableHeadDisruptionBudget: ['headDisruptionBudget', 'Protect heads from evictions. Only Manta.'],
  DeletePodsByRestartPolicy: ['deletesByRestartPolicy', 'Delete ended pods by their restart policy alone. Only Manta.'],
  EnableUpgradeCapacityCheck: [
    'upgradeCapacityCheck',
    'Warn before an upgrade for which the nodes lack room. Only Manta.',
  ],
  RedisCleanupCpu: ['redisCleanupCpu', 'CPU request of the Redis cleanup Job. Only Manta.'],
  RedisCleanupMemory: ['redisCleanupMemory', 'Memory request of the Redis cleanup Job. Only Manta.'],
  IssueMtlsCertificates: [
    'issuesMtlsCertificates',
    'The operator issues certificates of mutual TLS even if cert-manager is installed. Only Manta.',
  ],
  RayTokenFile: ['rayTokenFile', 'File with the token for clusters with `enableK8sTokenAuth`. Only Manta.'],
  SubmitterRequests: ['submitterRequests', 'Submitters of RayJobs request CPU and memory of their node. Only Manta.'],
  OperatorAppName: [
    'operatorAppName',
    "Value of `app.kubernetes.io/name` of the operator's pods, for NetworkPolicies. Only Manta.",
  ],
};

/** docs/reference/environment.md */
export function environmentPage(): string {
  const defaults = readOperatorEnv({});
  const names: Readonly<Record<string, string>> = OperatorEnvName;
  const rows = Object.entries(VARIABLES).map(([key, [setting, description]]) => {
    const value = defaults[setting];
    return `| \`${names[key]}\` | ${value === undefined ? '' : `\`${String(value)}\``} | ${description} |`;
  });
  return [
    '# Environment variables of the operator',
    'Generated from `packages/api/src/operator-env.ts` by `npm run reference`; do not edit. Switches that are on by default understand only `false`, others only `true`. [Options](../options.md) explains those that only Manta has.',
    ['| Variable | Default | Effect |', '| --- | --- | --- |', ...rows].join('\n'),
    'The client for the API server also reads `KUBECONFIG`, `HTTPS_PROXY` and `NO_PROXY`; calls to Ray dashboards also read `HTTP_PROXY`.',
    '',
  ].join('\n\n');
}
