import type { Dashboard } from './dashboard.ts';

const HERE = 'namespace=~"$namespace"';
const OF = 'pod=~"$pod",controller=~"$controller"';
const latency = (quantile: number) =>
  `histogram_quantile(${quantile}, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket{${OF}}[5m])))`;

/** How the operator is, and everything that it looks after. */
export const OPERATOR_DASHBOARD: Dashboard = {
  uid: 'kuberay_operator',
  title: 'Ray operator',
  tags: ['ray', 'kuberay', 'manta'],
  variables: [
    { name: 'namespace', label: 'Namespace', query: 'label_values(kuberay_cluster_info, namespace)' },
    { name: 'pod', label: 'Operator', query: 'label_values(controller_runtime_active_workers, pod)' },
    { name: 'controller', label: 'Controller', query: 'label_values(controller_runtime_active_workers, controller)' },
  ],
  rows: [
    {
      title: 'Needs attention',
      panels: [
        { title: 'Leaders', kind: 'stat', queries: { 'sum(leader_election_master_status)': 'leading' } },
        {
          title: 'Permissions that are missing',
          kind: 'table',
          queries: { 'sum by (needed_for, verb, group, resource, namespace) (manta_missing_permission)': '' },
        },
        {
          title: 'Fields that the installed CRDs lack',
          kind: 'table',
          queries: { 'sum by (kind, field) (manta_outdated_crd_field)': '' },
        },
      ],
    },
    {
      title: 'Controllers',
      panels: [
        { title: 'Queue length', queries: { [`sum by (controller) (workqueue_depth{${OF}})`]: '{{controller}}' } },
        {
          title: 'Passes a second',
          unit: 'ops',
          queries: {
            [`sum by (controller, result) (rate(controller_runtime_reconcile_total{${OF}}[5m]))`]:
              '{{controller}} {{result}}',
          },
        },
        {
          title: 'How long a pass takes',
          unit: 's',
          queries: {
            [latency(0.5)]: '{{controller}} p50',
            [latency(0.95)]: '{{controller}} p95',
            [latency(0.99)]: '{{controller}} p99',
          },
        },
        {
          title: 'Longest pass that is running',
          unit: 's',
          queries: { [`max by (controller) (workqueue_longest_running_processor_seconds{${OF}})`]: '{{controller}}' },
        },
        {
          title: 'Requests to the API server',
          unit: 'reqps',
          queries: {
            'sum by (method, code) (rate(rest_client_requests_total{pod=~"$pod"}[5m]))': '{{method}} {{code}}',
          },
        },
        {
          title: 'Memory and event loop',
          queries: {
            'process_resident_memory_bytes{pod=~"$pod"}': '{{pod}} bytes',
            'nodejs_eventloop_lag_max_seconds{pod=~"$pod"}': '{{pod}} longest stall, seconds',
          },
        },
      ],
    },
    {
      title: 'RayCluster',
      panels: [
        { title: 'Clusters', queries: { [`count by (namespace) (kuberay_cluster_info{${HERE}})`]: '{{namespace}}' } },
        {
          title: 'Time to come up',
          kind: 'table',
          unit: 's',
          queries: {
            [`kuberay_cluster_provisioned_duration_seconds{${HERE}} * on (namespace, name, uid) group_left (owner_kind) kuberay_cluster_info{${HERE}}`]:
              '',
          },
        },
        {
          title: 'Not provisioned',
          kind: 'table',
          queries: { [`kuberay_cluster_condition_provisioned{condition="false",${HERE}}`]: '' },
        },
        {
          title: 'Head not ready',
          kind: 'table',
          queries: { [`manta_cluster_condition_head_pod_ready{condition="false",${HERE}}`]: '' },
        },
      ],
    },
    {
      title: 'RayService',
      panels: [
        { title: 'Services', queries: { [`count by (namespace) (kuberay_service_info{${HERE}})`]: '{{namespace}}' } },
        {
          title: 'Not ready',
          kind: 'table',
          queries: { [`kuberay_service_condition_ready{condition="false",${HERE}}`]: '' },
        },
        {
          title: 'Upgrading',
          kind: 'table',
          queries: { [`kuberay_service_condition_upgrade_in_progress{condition="true",${HERE}}`]: '' },
        },
      ],
    },
    {
      title: 'RayJob',
      panels: [
        { title: 'Jobs', queries: { [`count by (namespace) (kuberay_job_info{${HERE}})`]: '{{namespace}}' } },
        {
          title: 'How long attempts took',
          kind: 'table',
          unit: 's',
          queries: { [`kuberay_job_execution_duration_seconds{${HERE}}`]: '' },
        },
        {
          title: 'Stages',
          kind: 'piechart',
          queries: {
            [`sum by (deployment_status) (kuberay_job_deployment_status{${HERE}})`]: '{{deployment_status}}',
          },
        },
        {
          title: 'Failed, held or tried again',
          kind: 'table',
          queries: {
            [`kuberay_job_deployment_status{deployment_status=~"Failed|Suspending|Suspended|Retrying|Waiting",${HERE}}`]:
              '',
          },
        },
      ],
    },
  ],
};
