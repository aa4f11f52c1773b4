import type { CustomResourceColumnDefinition } from '../core.gen.ts';
import { bool, embedded, int, map, object, type Schema, string, time } from './dsl.ts';
import { service } from './pod-template.gen.ts';
import { clusterSpec } from './raycluster.ts';
import { clusterStatus } from './raycluster-status.ts';
import { conditions, managedBy, root } from './shared-fields.ts';

const clusterUpgradeOptions = object(
  {
    gatewayClassName: string('GatewayClass of the Gateway that splits the traffic.'),
    stepSizePercent: int('Percentage of the traffic that one step moves to the new cluster.'),
    intervalSeconds: int('Time between two steps, in seconds.'),
    maxSurgePercent: int('Capacity in percent that the new cluster may have in addition to the old cluster.', {
      default: 100,
    }),
  },
  'Settings of the strategy NewClusterWithIncrementalUpgrade.',
  { required: ['gatewayClassName', 'intervalSeconds', 'stepSizePercent'] },
);

/** The fields of a RayService's spec. */
export const serviceSpecFields = {
  rayClusterConfig: clusterSpec('The Ray cluster that serves the applications.'),
  serveConfigV2: string('The Serve applications: the multi-application configuration of Ray Serve, as YAML text.'),
  serveService: embedded(service, 'Replaces parts of the Service for Serve traffic, such as its name, type and ports.'),
  upgradeStrategy: object(
    {
      type: string(
        'NewCluster, NewClusterWithIncrementalUpgrade, Recreate (deletes the old cluster first) or None (keeps the running cluster).',
      ),
      clusterUpgradeOptions,
    },
    'How a changed cluster replaces the active cluster.',
  ),
  excludeHeadPodFromServeSvc: bool('Excludes the head pod from the endpoints of the serve Service.'),
  rayClusterDeletionDelaySeconds: int('Delay in seconds before the operator deletes a replaced cluster; 60 if unset.', {
    minimum: 0,
  }),
  suspend: bool('Deletes the clusters of this service. Set to false to create a new one.'),
  managedBy,
  serviceUnhealthySecondThreshold: int('No longer used.'),
  deploymentUnhealthySecondThreshold: int('No longer used.'),
};

const deploymentStatusFields = {
  status: string('UPDATING, HEALTHY or UNHEALTHY.'),
  message: string('Message from Ray Serve.'),
};

const applicationStatusFields = {
  status: string('NOT_STARTED, DEPLOYING, RUNNING, DEPLOY_FAILED, DELETING or UNHEALTHY.'),
  message: string('Message from Ray Serve.'),
};

/** Serve's applications by name, each with its deployments; `extra` fields exist on both levels. */
export function applicationStatuses(extra: Readonly<Record<string, Schema>> = {}): Schema {
  const deployments = map(object({ ...deploymentStatusFields, ...extra }), 'The deployments of this application.');
  return map(
    object({ ...applicationStatusFields, serveDeploymentStatuses: deployments, ...extra }),
    'The Serve applications, by name.',
  );
}

const servingCluster = (description: string): Schema =>
  object(
    {
      rayClusterName: string('Name of the cluster.'),
      rayClusterStatus: clusterStatus,
      applicationStatuses: applicationStatuses(),
      targetCapacity: int('Capacity that the cluster should have, in percent of its full capacity.'),
      trafficRoutedPercent: int('Percentage of the traffic that the Gateway routes to the cluster.'),
      lastTrafficMigratedTime: time('Time of the last change of the traffic percentage.'),
    },
    description,
  );

/** The fields of a RayService's status. */
export const serviceStatusFields = {
  serviceStatus: string('`Running` if the service is ready, otherwise empty. The conditions have the details.'),
  numServeEndpoints: int('Number of pods that receive Serve traffic.'),
  conditions,
  activeServiceStatus: servingCluster('The active cluster, which serves requests.'),
  pendingServiceStatus: servingCluster('The pending cluster, which will replace the active cluster.'),
  lastUpdateTime: time('Time of the last change of this status.'),
  observedGeneration: int('Generation of the spec that this status describes.', undefined, 'int64'),
};

/** The RayService kind in v1. */
export const rayService: Schema = root(
  object(serviceSpecFields, 'Desired state of the service.', { required: ['rayClusterConfig'] }),
  object(serviceStatusFields, 'Observed state of the service.'),
  'Ray Serve applications and the cluster that serves them, upgraded without downtime.',
);

/** What `kubectl get rayservices` shows. */
export const rayServiceColumns: readonly CustomResourceColumnDefinition[] = [
  { name: 'service status', jsonPath: '.status.serviceStatus', type: 'string' },
  { name: 'num serve endpoints', jsonPath: '.status.numServeEndpoints', type: 'string' },
  { name: 'reason', jsonPath: '.status.conditions[?(@.type=="Ready")].reason', type: 'string' },
  { name: 'message', jsonPath: '.status.conditions[?(@.type=="Ready")].message', type: 'string', priority: 1 },
];
