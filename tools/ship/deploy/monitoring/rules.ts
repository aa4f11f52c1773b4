/** A Prometheus rule: a recording rule or an alert. */
export type Rule =
  | { readonly record: string; readonly expr: string; readonly labels?: Readonly<Record<string, string>> }
  | {
      readonly alert: string;
      readonly expr: string;
      readonly for: string;
      readonly labels: { readonly severity: 'warning' | 'critical' };
      readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
    };

export interface RuleGroup {
  readonly name: string;
  readonly interval?: string;
  readonly rules: readonly Rule[];
}

function alert(
  name: string,
  severity: 'warning' | 'critical',
  expr: string,
  patience: string,
  summary: string,
  description: string,
): Rule {
  const annotations = { summary, description, runbook_url: `docs/production/runbooks.md#${name.toLowerCase()}` };
  return { alert: name, expr, for: patience, labels: { severity }, annotations };
}

/** Of the Ray clusters: what dashboards and service level objectives use. */
const GCS: RuleGroup = {
  name: 'ray-cluster-gcs',
  interval: '30s',
  rules: [
    {
      record: 'ray_gcs_availability_30d',
      expr: '100 * sum by (ray_io_cluster) (rate(ray_gcs_update_resource_usage_time_bucket{container="ray-head", le="20.0"}[30d])) / sum by (ray_io_cluster) (rate(ray_gcs_update_resource_usage_time_count{container="ray-head"}[30d]))',
    },
    alert(
      'MissingMetricRayGlobalControlStore',
      'critical',
      'absent(ray_gcs_update_resource_usage_time_bucket{container="ray-head"})',
      '5m',
      'No Ray head reports metrics of its control store.',
      'Either there is no RayCluster, or its head is not scraped: look at the PodMonitor ray-head-monitor and at the port "metrics" of the heads.',
    ),
  ],
};

const OPERATOR: RuleGroup = {
  name: 'ray-operator',
  rules: [
    alert(
      'RayOperatorAbsent',
      'critical',
      'absent(controller_runtime_active_workers)',
      '5m',
      'No Ray operator is scraped.',
      'No RayCluster, RayJob or RayService is reconciled. Check the Deployment kuberay-operator and its ServiceMonitor.',
    ),
    alert(
      'RayOperatorNobodyLeads',
      'critical',
      'max(leader_election_master_status) == 0',
      '2m',
      'Operators run, but none of them leads.',
      'Check the Lease ray-operator-leader and what the operators log about it.',
    ),
    alert(
      'RayOperatorPermissionMissing',
      'warning',
      'max by (needed_for, verb, group, resource, subresource) (manta_missing_permission) > 0',
      '5m',
      'The operator may not {{ $labels.verb }} {{ $labels.resource }}.',
      'Off because of that: {{ $labels.needed_for }}. "manta rbac" prints the role that the operator needs.',
    ),
    alert(
      'RayOperatorCrdOutdated',
      'warning',
      'max by (kind) (manta_outdated_crd_field) > 0',
      '15m',
      'The installed CRD of {{ $labels.kind }} is older than the operator.',
      'The API server drops the fields that it lacks. "manta crds apply" updates it.',
    ),
    alert(
      'RayOperatorErrors',
      'warning',
      'sum by (controller) (rate(controller_runtime_reconcile_errors_total[10m])) > 0.1',
      '15m',
      'The controller {{ $labels.controller }} fails repeatedly.',
      'The log of the operator names the objects and the reasons.',
    ),
    alert(
      'RayOperatorStuck',
      'critical',
      'max by (controller) (workqueue_longest_running_processor_seconds) > 300',
      '1m',
      'A reconcile of the controller {{ $labels.controller }} does not end.',
      'Its object is not reconciled. The log names the object.',
    ),
    alert(
      'RayOperatorBehind',
      'warning',
      'sum by (controller) (workqueue_depth) > 500',
      '15m',
      'The controller {{ $labels.controller }} does not keep up.',
      'More objects change than it can reconcile: give the operator more CPU, or raise --reconcile-concurrency.',
    ),
    alert(
      'RayOperatorRequestsFail',
      'warning',
      'sum(rate(rest_client_requests_total{code=~"5..|<error>"}[10m])) / sum(rate(rest_client_requests_total[10m])) > 0.05',
      '10m',
      'Requests of the operator to the API server fail.',
      'More than one request in twenty fails.',
    ),
    alert(
      'RayOperatorWebhookCertificate',
      'warning',
      'increase(certwatcher_read_certificate_errors_total[15m]) > 3',
      '5m',
      'The certificate of the webhooks cannot be read.',
      'Where webhooks fail closed, Ray objects can soon be neither created nor changed. The log of the operator names the file and the remedy.',
    ),
  ],
};

const OBJECTS: RuleGroup = {
  name: 'ray-objects',
  rules: [
    alert(
      'RayClusterNotProvisioned',
      'warning',
      'kuberay_cluster_condition_provisioned{condition="false"} == 1',
      '30m',
      'RayCluster {{ $labels.namespace }}/{{ $labels.name }} did not get all its pods.',
      '"kubectl describe raycluster" shows its conditions and events.',
    ),
    alert(
      'RayClusterHeadNotReady',
      'critical',
      '(manta_cluster_condition_head_pod_ready{condition="false"} == 1) and on (namespace, name, uid) (kuberay_cluster_condition_provisioned{condition="true"} == 1)',
      '10m',
      'The head of RayCluster {{ $labels.namespace }}/{{ $labels.name }} is missing or not ready.',
      'It was ready before. "kubectl describe raycluster" shows its conditions and events.',
    ),
    alert(
      'RayServiceNotReady',
      'critical',
      'kuberay_service_condition_ready{condition="false"} == 1',
      '15m',
      'RayService {{ $labels.namespace }}/{{ $labels.name }} serves no requests.',
      '"kubectl describe rayservice" shows its conditions and events.',
    ),
    alert(
      'RayServiceUpgradeStuck',
      'warning',
      'kuberay_service_condition_upgrade_in_progress{condition="true"} == 1',
      '1h',
      'The upgrade of RayService {{ $labels.namespace }}/{{ $labels.name }} does not end.',
      'Two clusters run meanwhile. The annotation ray.io/upgrade-progress-deadline rolls such upgrades back.',
    ),
    alert(
      'RayJobFailed',
      'warning',
      'kuberay_job_deployment_status{deployment_status="Failed"} == 1',
      '0m',
      'RayJob {{ $labels.namespace }}/{{ $labels.name }} has failed.',
      '"kubectl describe rayjob" says why.',
    ),
  ],
};

export const RULE_GROUPS: readonly RuleGroup[] = [GCS, OPERATOR, OBJECTS];
