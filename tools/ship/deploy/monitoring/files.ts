import { stringify } from 'yaml';
import { dashboardJson } from './dashboard.ts';
import { OPERATOR_DASHBOARD } from './operator-dashboard.ts';
import { RAY_DASHBOARDS } from './ray-dashboards.ts';
import { RULE_GROUPS } from './rules.ts';

const MADE = '# Made by npm run deploy; do not edit.\n';
/** What the Prometheus of the usual stack selects by. */
const labels = { release: 'prometheus' };
const MONITORING = 'monitoring.coreos.com/v1';

/** The operator's own metrics; the objects' namespaces must not be overwritten by that of the pod. */
const SERVICE_MONITOR = {
  apiVersion: MONITORING,
  kind: 'ServiceMonitor',
  metadata: { name: 'kuberay-operator', labels },
  spec: {
    selector: { matchLabels: { 'app.kubernetes.io/name': 'kuberay-operator' } },
    namespaceSelector: { any: true },
    endpoints: [{ targetPort: 'http', path: '/metrics', interval: '30s', honorLabels: true }],
  },
};

/** What Ray itself says: heads have the autoscaler's and the dashboard's metrics too. */
const POD_MONITORS = [
  podMonitor('ray-head-monitor', 'ray-head', 'head', ['metrics', 'as-metrics', 'dash-metrics']),
  podMonitor('ray-workers-monitor', 'ray-workers', 'worker', ['metrics']),
];

function podMonitor(name: string, jobLabel: string, node: string, ports: readonly string[]): object {
  const relabelings = [
    {
      action: 'replace',
      sourceLabels: ['__meta_kubernetes_pod_label_ray_io_cluster'],
      targetLabel: 'ray_io_cluster',
    },
  ];
  return {
    apiVersion: MONITORING,
    kind: 'PodMonitor',
    metadata: { name, labels },
    spec: {
      jobLabel,
      namespaceSelector: { any: true },
      selector: { matchLabels: { 'ray.io/node-type': node } },
      podMetricsEndpoints: ports.map((port) => ({ port, relabelings })),
    },
  };
}

const PROMETHEUS_RULE = {
  apiVersion: MONITORING,
  kind: 'PrometheusRule',
  metadata: { name: 'ray-rules', labels },
  spec: { groups: RULE_GROUPS },
};

/** What Prometheus and Grafana need to know of the operator and of Ray, by path. */
export function monitoringFiles(): ReadonlyMap<string, string> {
  const dashboards = Object.entries({ 'ray-operator': OPERATOR_DASHBOARD, ...RAY_DASHBOARDS });
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: 'prometheus-system',
    resources: ['service-monitor.yaml', 'pod-monitors.yaml', 'rules.yaml'],
    // Grafana's sidecar loads every ConfigMap with this label.
    generatorOptions: { disableNameSuffixHash: true, labels: { grafana_dashboard: '1' } },
    configMapGenerator: dashboards.map(([name]) => ({
      name: `${name}-dashboard`,
      files: [`${name}.json=dashboards/${name}.json`],
    })),
  };
  return new Map([
    ['kustomization.yaml', yaml(kustomization)],
    ['service-monitor.yaml', yaml(SERVICE_MONITOR)],
    ['pod-monitors.yaml', yaml(...POD_MONITORS)],
    ['rules.yaml', yaml(PROMETHEUS_RULE)],
    ...dashboards.map(([name, dashboard]) => [`dashboards/${name}.json`, dashboardJson(dashboard)] as const),
  ]);
}

function yaml(...objects: readonly object[]): string {
  return (
    MADE + objects.map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 })).join('---\n')
  );
}
