/** Tests of alerts, as promtool reads them: series over time, and who is woken when. */
export const ALERT_STORIES: readonly object[] = [
  {
    interval: '1m',
    input_series: [
      {
        series: 'kuberay_cluster_condition_provisioned{name="a",namespace="n",uid="u",condition="false"}',
        values: '1x60',
      },
      {
        series: 'kuberay_cluster_condition_provisioned{name="b",namespace="n",uid="v",condition="true"}',
        values: '1x60',
      },
      {
        series: 'manta_cluster_condition_head_pod_ready{name="b",namespace="n",uid="v",condition="false"}',
        values: '1x60',
      },
      {
        series: 'manta_cluster_condition_head_pod_ready{name="a",namespace="n",uid="u",condition="false"}',
        values: '1x60',
      },
    ],
    alert_rule_test: [
      { eval_time: '29m', alertname: 'RayClusterNotProvisioned', exp_alerts: [] },
      {
        eval_time: '31m',
        alertname: 'RayClusterNotProvisioned',
        exp_alerts: [clusterAlert('a', 'u', 'false', 'did not get all its pods.')],
      },
      // A head that never was ready is the other alert's business.
      {
        eval_time: '11m',
        alertname: 'RayClusterHeadNotReady',
        exp_alerts: [
          {
            exp_labels: { severity: 'critical', name: 'b', namespace: 'n', uid: 'v', condition: 'false' },
            exp_annotations: {
              summary: 'The head of RayCluster n/b is missing or not ready.',
              description: 'It was ready before. "kubectl describe raycluster" shows its conditions and events.',
              runbook_url: runbook('RayClusterHeadNotReady'),
            },
          },
        ],
      },
    ],
  },
  {
    interval: '1m',
    input_series: [
      { series: 'leader_election_master_status{pod="a"}', values: '0x10 1x10' },
      { series: 'leader_election_master_status{pod="b"}', values: '0x20' },
      { series: 'controller_runtime_active_workers{controller="raycluster"}', values: '0x20' },
      { series: 'workqueue_longest_running_processor_seconds{controller="rayjob"}', values: '0+60x20' },
    ],
    alert_rule_test: [
      { eval_time: '1m', alertname: 'RayOperatorNobodyLeads', exp_alerts: [] },
      {
        eval_time: '5m',
        alertname: 'RayOperatorNobodyLeads',
        exp_alerts: [
          {
            exp_labels: { severity: 'critical' },
            exp_annotations: {
              summary: 'Operators run, but none of them leads.',
              description: 'Check the Lease ray-operator-leader and what the operators log about it.',
              runbook_url: runbook('RayOperatorNobodyLeads'),
            },
          },
        ],
      },
      { eval_time: '15m', alertname: 'RayOperatorNobodyLeads', exp_alerts: [] },
      { eval_time: '15m', alertname: 'RayOperatorAbsent', exp_alerts: [] },
      { eval_time: '5m', alertname: 'RayOperatorStuck', exp_alerts: [] },
      {
        eval_time: '8m',
        alertname: 'RayOperatorStuck',
        exp_alerts: [
          {
            exp_labels: { severity: 'critical', controller: 'rayjob' },
            exp_annotations: {
              summary: 'A reconcile of the controller rayjob does not end.',
              description: 'Its object is not reconciled. The log names the object.',
              runbook_url: runbook('RayOperatorStuck'),
            },
          },
        ],
      },
    ],
  },
  {
    interval: '1m',
    input_series: [],
    alert_rule_test: [
      {
        eval_time: '6m',
        alertname: 'RayOperatorAbsent',
        exp_alerts: [
          {
            exp_labels: { severity: 'critical' },
            exp_annotations: {
              summary: 'No Ray operator is scraped.',
              description:
                'No RayCluster, RayJob or RayService is reconciled. Check the Deployment kuberay-operator and its ServiceMonitor.',
              runbook_url: runbook('RayOperatorAbsent'),
            },
          },
        ],
      },
    ],
  },
];

function clusterAlert(name: string, uid: string, condition: string, what: string): object {
  return {
    exp_labels: { severity: 'warning', name, namespace: 'n', uid, condition },
    exp_annotations: {
      summary: `RayCluster n/${name} ${what}`,
      description: '"kubectl describe raycluster" shows its conditions and events.',
      runbook_url: runbook('RayClusterNotProvisioned'),
    },
  };
}

function runbook(alert: string): string {
  return `docs/production/runbooks.md#${alert.toLowerCase()}`;
}
