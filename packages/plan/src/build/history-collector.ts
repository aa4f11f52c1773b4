import {
  CollectorEnvName,
  type Container,
  ContainerName,
  DefaultPort,
  EnvName,
  type EnvVar,
  Label,
  NodeType,
  type RayCluster,
  type RayClusterSpec,
} from '@manta/api';
import { withAuth } from './auth.ts';
import { appendEnv, envFromField } from './container-env.ts';
import type { BuildContext } from './context.ts';

/** The sidecar that sends logs and events to a history server, or undefined when none is wanted. */
export function historyCollector(
  cluster: RayCluster,
  spec: RayClusterSpec,
  nodeType: NodeType,
  fqdn: string,
  context: BuildContext,
): Container | undefined {
  const options = spec.historyServerOptions?.collectorOptions;
  if (!context.gates.RayClusterHistoryServer || options === undefined) return undefined;
  const name = cluster.metadata?.name ?? '';
  const env = [...identity(cluster, nodeType, fqdn), ...dashboard(nodeType, options.env ?? []), ...(options.env ?? [])];
  const container: Container = {
    name: ContainerName.Collector,
    ...(options.image === undefined ? {} : { image: options.image }),
    imagePullPolicy: options.imagePullPolicy ?? 'IfNotPresent',
    resources: options.resources ?? {
      limits: { cpu: '200m', memory: '256Mi' },
      requests: { cpu: '50m', memory: '64Mi' },
    },
  };
  return withAuth(appendEnv(container, env), spec, name);
}

/** Makes Ray export its events to the collector; the user's settings win. */
export const EVENT_EXPORT_ENV: readonly EnvVar[] = [
  { name: EnvName.EnableRayEvent, value: 'true' },
  { name: EnvName.EnableCoreWorkerRayEventToAggregator, value: 'true' },
  { name: EnvName.EventsExportAddress, value: `http://localhost:${DefaultPort.CollectorEvents}/v1/events` },
  { name: EnvName.ExposableEventTypes, value: eventTypes() },
  { name: EnvName.HttpEndpointExposableEventTypes, value: eventTypes() },
];

function identity(cluster: RayCluster, nodeType: NodeType, fqdn: string): readonly EnvVar[] {
  const { name = '', namespace = '', labels = {} } = cluster.metadata ?? {};
  const ownerKind = labels[Label.OriginatedFromCrd];
  const ownerName = labels[Label.OriginatedFromCrName];
  return [
    envFromField(EnvName.PodIp, 'status.podIP'),
    { name: EnvName.RayClusterName, value: name },
    { name: EnvName.RayClusterNamespace, value: namespace },
    { name: CollectorEnvName.RayRole, value: nodeType === NodeType.Head ? 'Head' : 'Worker' },
    { name: CollectorEnvName.EventsPort, value: String(DefaultPort.CollectorEvents) },
    ...(fqdn === '' ? [] : [{ name: EnvName.FqRayIp, value: fqdn }]),
    ...(ownerKind ? [{ name: CollectorEnvName.OwnerKind, value: ownerKind }] : []),
    ...(ownerName ? [{ name: CollectorEnvName.OwnerName, value: ownerName }] : []),
  ];
}

function dashboard(nodeType: NodeType, userEnv: readonly EnvVar[]): readonly EnvVar[] {
  const isGiven = userEnv.some(({ name }) => name === EnvName.DashboardAddress);
  if (nodeType !== NodeType.Head || isGiven) return [];
  return [{ name: EnvName.DashboardAddress, value: `http://localhost:${DefaultPort.Dashboard}` }];
}

function eventTypes(): string {
  return [
    'TASK_DEFINITION_EVENT',
    'TASK_LIFECYCLE_EVENT',
    'ACTOR_TASK_DEFINITION_EVENT',
    'TASK_PROFILE_EVENT',
    'DRIVER_JOB_DEFINITION_EVENT',
    'DRIVER_JOB_LIFECYCLE_EVENT',
    'ACTOR_DEFINITION_EVENT',
    'ACTOR_LIFECYCLE_EVENT',
    'NODE_DEFINITION_EVENT',
    'NODE_LIFECYCLE_EVENT',
  ].join(',');
}
