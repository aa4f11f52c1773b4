interface MetricShape {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
}

const OBJECT = ['name', 'namespace', 'uid'];
const QUEUE = ['name', 'controller'];
const gauge = (...labels: readonly string[]): MetricShape => ({ type: 'gauge', labels });
const counter = (...labels: readonly string[]): MetricShape => ({ type: 'counter', labels });
const histogram = (...labels: readonly string[]): MetricShape => ({ type: 'histogram', labels });

/** What dashboards and alerts written for KubeRay rely on; those of webhooks are there with webhooks only. */
export const METRICS: Readonly<Record<string, MetricShape>> = {
  kuberay_cluster_info: gauge(...OBJECT, 'owner_kind'),
  kuberay_cluster_condition_provisioned: gauge(...OBJECT, 'condition'),
  kuberay_service_info: gauge(...OBJECT),
  kuberay_service_condition_ready: gauge(...OBJECT, 'condition'),
  kuberay_service_condition_upgrade_in_progress: gauge(...OBJECT, 'condition'),
  kuberay_job_info: gauge(...OBJECT),
  kuberay_job_deployment_status: gauge(...OBJECT, 'deployment_status'),
  rest_client_request_duration_seconds: histogram('verb', 'host'),
  rest_client_rate_limiter_duration_seconds: histogram('verb', 'host'),
  rest_client_request_size_bytes: histogram('verb', 'host'),
  rest_client_response_size_bytes: histogram('verb', 'host'),
  rest_client_requests_total: counter('code', 'method', 'host'),
  controller_runtime_reconcile_total: counter('controller', 'result'),
  controller_runtime_reconcile_errors_total: counter('controller'),
  controller_runtime_terminal_reconcile_errors_total: counter('controller'),
  controller_runtime_reconcile_panics_total: counter('controller'),
  controller_runtime_reconcile_timeouts_total: counter('controller'),
  controller_runtime_reconcile_time_seconds: histogram('controller'),
  controller_runtime_max_concurrent_reconciles: gauge('controller'),
  controller_runtime_active_workers: gauge('controller'),
  workqueue_depth: gauge(...QUEUE, 'priority'),
  workqueue_adds_total: counter(...QUEUE),
  workqueue_retries_total: counter(...QUEUE),
  workqueue_queue_duration_seconds: histogram(...QUEUE),
  workqueue_work_duration_seconds: histogram(...QUEUE),
  workqueue_unfinished_work_seconds: gauge(...QUEUE),
  workqueue_longest_running_processor_seconds: gauge(...QUEUE),
  leader_election_master_status: gauge('name'),
  process_cpu_seconds_total: counter(),
  process_resident_memory_bytes: gauge(),
  process_open_fds: gauge(),
};

/** Without a series as long as there is nothing to say; the tests beside the code hold their names and labels. */
export const THERE_WHEN_NEEDED: readonly string[] = [
  'kuberay_cluster_provisioned_duration_seconds',
  'kuberay_job_execution_duration_seconds',
  'rest_client_dns_resolution_duration_seconds',
  'rest_client_request_retries_total',
  'manta_missing_permission',
  'manta_ray_answer_bytes_total',
  'manta_ray_answers_total',
  'manta_outdated_crd_field',
];
