import type { FlagDefinition } from './go-flags.ts';

/** Every flag of the operator: the peer's names and, unless `docs/differences.md` says otherwise, its defaults. */
export const OPERATOR_FLAGS = [
  { name: 'metrics-addr', kind: 'string', default: ':8080', help: 'address that serves /metrics; 0 switches it off' },
  {
    name: 'health-probe-bind-address',
    kind: 'string',
    default: ':8082',
    help: 'address that serves /healthz and /readyz',
  },
  { name: 'enable-leader-election', kind: 'bool', default: true, help: 'let only one of several operators act' },
  {
    name: 'leader-election-namespace',
    kind: 'string',
    default: '',
    help: "namespace of the lease; empty: the pod's own",
  },
  { name: 'reconcile-concurrency', kind: 'int', default: 32, help: 'objects worked on at once, per kind' },
  { name: 'watch-namespace', kind: 'string', default: '', help: 'namespaces to watch, comma-separated; empty: all' },
  { name: 'forced-cluster-upgrade', kind: 'bool', default: false, help: 'deprecated, has no effect' },
  { name: 'log-file-path', kind: 'string', default: '', help: 'log to this file as well' },
  { name: 'log-file-encoder', kind: 'string', default: 'json', help: "form of the file's lines: json or console" },
  { name: 'log-stdout-encoder', kind: 'string', default: 'json', help: "form of stderr's lines: json or console" },
  { name: 'enable-batch-scheduler', kind: 'bool', default: false, help: 'deprecated: use --batch-scheduler=volcano' },
  {
    name: 'batch-scheduler',
    kind: 'string',
    default: '',
    help: 'gang scheduler: volcano, yunikorn, kai-scheduler or scheduler-plugins',
  },
  {
    name: 'config',
    kind: 'string',
    default: '',
    help: 'Configuration file (config.ray.io/v1alpha1) that replaces most flags',
  },
  {
    name: 'use-kubernetes-proxy',
    kind: 'bool',
    default: false,
    help: "reach Ray dashboards through the API server's service and pod proxy",
  },
  { name: 'feature-gates', kind: 'string', default: '', help: 'switches, e.g. RayCronJob=true,RayClusterMTLS=true' },
  { name: 'enable-metrics', kind: 'bool', default: false, help: 'add the kuberay_* metrics' },
  { name: 'qps', kind: 'float', help: 'requests a second to the API server; unset: no limit of our own' },
  { name: 'burst', kind: 'int', help: 'requests that may exceed --qps for a moment; unset: no limit of our own' },
  { name: 'zap-devel', kind: 'bool', default: false, help: 'log at debug, with stack traces from warnings on' },
  {
    name: 'zap-log-level',
    kind: 'string',
    default: 'info',
    help: 'debug, info, error, panic, or a positive number (more detail)',
  },
  {
    name: 'zap-stacktrace-level',
    kind: 'string',
    default: 'error',
    help: 'info, warn, error or panic: from where on lines carry a stack',
  },
  {
    name: 'zap-encoder',
    kind: 'string',
    default: '',
    help: 'json or console; --log-stdout-encoder wins where both are given',
  },
  { name: 'zap-time-encoding', kind: 'string', default: 'iso8601', help: 'accepted; times are always ISO 8601' },
  {
    name: 'kubeconfig',
    kind: 'string',
    default: '',
    help: 'kubeconfig file; else KUBECONFIG, the service account, ~/.kube/config',
  },
] as const satisfies readonly FlagDefinition[];
