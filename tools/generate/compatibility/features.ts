/** Something that KubeRay has, and where our tests of it are. */
export interface Feature {
  readonly name: string;
  /** Folders or files; none where we do not have it. */
  readonly tests: readonly string[];
  /** Which rows of docs/differences/ are about it. */
  readonly differences?: RegExp;
  /** What there is instead, where we do not have it. */
  readonly instead?: string;
}

const PLAN = 'packages/plan/src';
const OPERATOR = 'packages/operator/src';

/** Every feature of KubeRay, in the order of its documentation. */
export const FEATURES: Readonly<Record<string, readonly Feature[]>> = {
  'Custom resources': [
    {
      name: 'RayCluster, RayJob, RayService, RayCronJob: fields, defaults, rules, columns',
      tests: [
        'packages/api/src',
        'tests/reference/crds.test.ts',
        'tests/real/crds.test.ts',
        'tests/real/crd-rules.test.ts',
      ],
    },
    { name: 'older versions of them (v1alpha1)', tests: ['tests/real/crds.test.ts'] },
    {
      name: 'validation, with the same words',
      tests: ['packages/api/src/validate', 'tests/reference/validation-goldens.test.ts'],
      differences: /refused|validat/i,
    },
    {
      name: 'admission webhooks',
      tests: [`${OPERATOR}/webhooks`, 'tests/real/webhooks.test.ts'],
      differences: /webhook/,
    },
    { name: 'all samples apply', tests: ['tests/real/samples.test.ts', 'tests/reference/samples-validation.test.ts'] },
  ],
  RayCluster: [
    {
      name: 'head and worker pods as KubeRay builds them',
      tests: [`${PLAN}/build/head-pod.test.ts`, `${PLAN}/build/ray-pod.test.ts`, 'tests/real/builders-goldens.test.ts'],
      differences: /start parameters|command:/,
    },
    {
      name: 'probes and init containers',
      tests: [`${PLAN}/build/probes.test.ts`, `${PLAN}/build/pod-features.test.ts`],
    },
    {
      name: 'scaling, `workersToDelete`, replacement of failed pods',
      tests: [
        `${PLAN}/raycluster/plan.test.ts`,
        `${PLAN}/raycluster/ended-pods.test.ts`,
        `${PLAN}/raycluster/create-backoff.test.ts`,
      ],
      differences: /workersToDelete|worker group taken out|fail again and again|group whose pods are refused/,
    },
    {
      name: 'groups of several hosts (TPU)',
      tests: [`${PLAN}/raycluster/multi-host.test.ts`],
      differences: /multi-host/,
    },
    {
      name: "Ray's autoscaler, version 1 and 2",
      tests: [`${PLAN}/build/autoscaler-access.test.ts`, 'tests/e2e/autoscaler.test.ts'],
      differences: /autoscaler's Role/,
    },
    {
      name: 'fault tolerance with Redis, with its cleanup',
      tests: [`${PLAN}/build/redis-cleanup.test.ts`, `${PLAN}/raycluster/deletion.test.ts`],
      differences: /Redis|ForceDeletedStuckCluster/,
    },
    { name: 'fault tolerance with embedded storage', tests: [`${PLAN}/build/gcs-claim.test.ts`] },
    {
      name: 'upgrade strategy Recreate',
      tests: [`${PLAN}/raycluster/plan.test.ts`],
      differences: /Recreate that is interrupted/,
    },
    { name: 'suspend and resume', tests: ['tests/integration/raycluster-suite.ts'], differences: /suspen/ },
    {
      name: 'Services, Ingress, OpenShift Route',
      tests: [
        `${PLAN}/build/head-service.test.ts`,
        `${PLAN}/build/ingress.test.ts`,
        `${PLAN}/build/other-services.test.ts`,
      ],
      differences: /head Service|Ingress/,
    },
    { name: 'token authentication', tests: [`${PLAN}/build/auth-secret.test.ts`] },
    {
      name: 'mutual TLS, with cert-manager',
      tests: [`${PLAN}/mtls`, `${PLAN}/raycluster/certificates.test.ts`],
      differences: /mTLS|mutual TLS|issu/i,
    },
    { name: 'network policies', tests: [`${PLAN}/network-policy`], differences: /NetworkPolic/ },
    {
      name: 'status and conditions',
      tests: [`${PLAN}/raycluster/status.test.ts`],
      differences: /RayClusterProvisioned|observedGeneration|readyWorkerReplicas|PermissionMissing/,
    },
  ],
  RayJob: [
    {
      name: 'the modes K8sJob, HTTP, Sidecar, Interactive',
      tests: [`${PLAN}/rayjob/plan.test.ts`, `${PLAN}/rayjob/submission.test.ts`, 'tests/e2e/rayjob.test.ts'],
      differences: /submi/i,
    },
    {
      name: 'retries and deadlines',
      tests: [`${PLAN}/rayjob/attempts.test.ts`, `${PLAN}/rayjob/endings.test.ts`],
      differences: /attempt|retr|deadline/i,
    },
    {
      name: 'deletion rules, TTL',
      tests: [`${PLAN}/rayjob/deletion-strategy.test.ts`],
      differences: /deletion|TTL|ttl/,
    },
    { name: 'suspend and resume', tests: [`${PLAN}/rayjob/leaving.test.ts`], differences: /suspen/ },
    {
      name: 'the light-weight submitter',
      tests: ['packages/manta/src/submitter'],
      differences: /manta submitter|light-weight submitter|the submitter exits/,
    },
  ],
  RayService: [
    {
      name: 'applications, status and conditions',
      tests: [`${PLAN}/rayservice/status/conditions.test.ts`, 'tests/e2e/rayservice.test.ts'],
      differences: /Ready while|application/,
    },
    {
      name: 'upgrade without downtime (NewCluster)',
      tests: [`${PLAN}/rayservice/upgrade/new-cluster.test.ts`, `${PLAN}/rayservice/upgrade/random-faults.test.ts`],
      differences: /switch to a new cluster|NewCluster/,
    },
    {
      name: 'upgrade in steps through a Gateway',
      tests: [`${PLAN}/rayservice/upgrade/incremental.test.ts`, `${PLAN}/rayservice/traffic/steps.test.ts`],
      differences: /incremental|traffic in steps/,
    },
    { name: 'suspend and resume', tests: [`${PLAN}/rayservice/suspend.test.ts`] },
  ],
  RayCronJob: [
    {
      name: 'schedules, time zones, concurrency, history',
      tests: [`${PLAN}/raycronjob`],
      differences: /schedule|RayCronJob/,
    },
  ],
  'The operator': [
    {
      name: 'flags, environment, Configuration file',
      tests: [`${OPERATOR}/options`],
      differences: /--reconcile-concurrency|--qps|encoder/i,
    },
    { name: 'feature gates', tests: ['packages/api/src/feature-gates.test.ts'], differences: /gate/i },
    {
      name: 'leader election',
      tests: ['packages/runtime/src/leader-election.test.ts', 'tests/real/leader-election.test.ts'],
      differences: /lease/,
    },
    { name: 'namespaces to watch', tests: ['tests/real/operator.test.ts'], differences: /--watch-namespace/ },
    {
      name: 'permissions, each of which may be missing',
      tests: ['tests/real/each-permission.test.ts', 'tests/integration/permissions-suite.ts'],
      differences: /permission that is missing/,
    },
    {
      name: 'metrics under the same names',
      tests: ['tests/real/monitoring.test.ts', `${OPERATOR}/controllers/raycluster-metrics.test.ts`],
      differences: /metrics of/i,
    },
    { name: 'logs', tests: ['packages/runtime/src/log'] },
    { name: 'events', tests: ['tests/real/events.test.ts'] },
  ],
  Ecosystem: [
    {
      name: 'batch schedulers: Volcano, YuniKorn, KAI, scheduler-plugins, Kubernetes',
      tests: [`${PLAN}/scheduling`, 'tests/real/schedulers.test.ts', 'tests/real/published-kinds.test.ts'],
      differences: /PodGroup|scheduler/,
    },
    {
      name: 'Kueue: `suspend`, `managedBy`',
      tests: ['tests/integration/kueue-suite.ts', 'tests/real/kueue-api.test.ts'],
    },
    {
      name: 'Helm chart `kuberay-operator`',
      tests: ['tests/real/charts.test.ts'],
      differences: /chart/,
    },
    { name: 'Helm chart `ray-cluster`', tests: ['tests/real/charts.test.ts'], differences: /chart `ray-cluster`/ },
    { name: 'manifests for kubectl', tests: ['tests/real/deploy.test.ts'] },
    {
      name: 'container image',
      tests: ['tests/real/image.test.ts', 'tools/ship/image'],
      differences: /image of the operator/,
    },
    { name: 'Grafana dashboards, PodMonitors, rules', tests: ['tests/real/monitoring.test.ts'], differences: /alerts/ },
    { name: 'take-over of running clusters', tests: ['tests/integration/take-over-suite.ts'] },
    { name: 'take-over of running jobs and services', tests: ['tests/integration/take-over-parents-suite.ts'] },
    {
      name: 'kubectl plugin (`kubectl ray`)',
      tests: [
        'tests/cli/cases/get.ts',
        'tests/cli/cases/change.ts',
        'tests/cli/cases/objects.ts',
        'tests/cli/cases/jobs.ts',
        'tests/cli/cases/stopping.ts',
        'tests/e2e/kubectl-ray.test.ts',
        'packages/cli/src',
      ],
      differences: /kubectl ray/,
    },
    { name: 'API server (v1 and v2), its chart', tests: [], instead: "not part of Manta; no test runs KubeRay's" },
    { name: 'web dashboard', tests: [], instead: "Manta has a console of its own; no test runs KubeRay's" },
    { name: 'history server: the collector beside the head', tests: [`${PLAN}/build/pod-features.test.ts`] },
    {
      name: 'history server and collector themselves',
      tests: [],
      instead: "not part of Manta; no test runs KubeRay's",
    },
    { name: "Kubernetes' Python client (`kubernetes` from PyPI)", tests: ['tests/real/engine-clients.test.ts'] },
    {
      name: "KubeRay's Python clients",
      tests: [],
      instead: 'they use the API of the custom resources; no test runs them',
    },
    { name: 'warm pods (podpool, an experiment)', tests: [] },
  ],
};
