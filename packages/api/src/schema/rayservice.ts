import type { CustomResourceColumnDefinition } from '../core.gen.ts';
import { bool, embedded, int, map, object, type Schema, string, time } from './dsl.ts';
import { service } from './pod-template.gen.ts';
import { clusterSpec } from './raycluster.ts';
import { clusterStatus } from './raycluster-status.ts';
import { conditions, managedBy, root } from './shared-fields.ts';

const clusterUpgradeOptions = object(
  {
    gatewayClassName: string('The GatewayClass that shifts the traffic.'),
    stepSizePercent: int('Traffic to move to the new cluster in one step, in percent.'),
    intervalSeconds: int('Time between two steps.'),
    maxSurgePercent: int('How much of the capacity the new cluster may have on top of the old one, in percent.', {
      default: 100,
    }),
  },
  'How NewClusterWithIncrementalUpgrade moves the traffic.',
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
        'NewCluster, NewClusterWithIncrementalUpgrade, Recreate to delete the old cluster first, or None to leave the running cluster as it is.',
      ),
      clusterUpgradeOptions,
    },
    'How a changed cluster replaces the one that serves.',
  ),
  excludeHeadPodFromServeSvc: bool('Keeps Serve traffic away from the head pod.'),
  rayClusterDeletionDelaySeconds: int('How long a replaced cluster stays; 60 seconds when left out.', { minimum: 0 }),
  suspend: bool('Takes the clusters of this service down, and brings one back when set to false again.'),
  managedBy,
  serviceUnhealthySecondThreshold: int('No longer used.'),
  deploymentUnhealthySecondThreshold: int('No longer used.'),
};

const deploymentStatusFields = {
  status: string('UPDATING, HEALTHY or UNHEALTHY.'),
  message: string('What Serve has to say about it.'),
};

const applicationStatusFields = {
  status: string('NOT_STARTED, DEPLOYING, RUNNING, DEPLOY_FAILED, DELETING or UNHEALTHY.'),
  message: string('What Serve has to say about it.'),
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
      targetCapacity: int('How much of its full capacity the cluster should have, in percent.'),
      trafficRoutedPercent: int('How much of the traffic goes to the cluster, in percent.'),
      lastTrafficMigratedTime: time('When traffic was last moved to or from the cluster.'),
    },
    description,
  );

/** The fields of a RayService's status. */
export const serviceStatusFields = {
  serviceStatus: string('Running when the service is ready, else empty; the conditions say more.'),
  numServeEndpoints: int('How many pods take Serve traffic.'),
  conditions,
  activeServiceStatus: servingCluster('The cluster that serves now.'),
  pendingServiceStatus: servingCluster('The cluster that is being prepared to take over.'),
  lastUpdateTime: time('When this status last changed.'),
  observedGeneration: int('The generation of the spec that this status speaks of.', undefined, 'int64'),
};

/** The RayService kind in v1. */
export const rayService: Schema = root(
  object(serviceSpecFields, 'The wanted service.', { required: ['rayClusterConfig'] }),
  object(serviceStatusFields, 'What is known of the service.'),
  'Ray Serve applications and the cluster that serves them, upgraded without downtime.',
);

/** What `kubectl get rayservices` shows. */
export const rayServiceColumns: readonly CustomResourceColumnDefinition[] = [
  { name: 'service status', jsonPath: '.status.serviceStatus', type: 'string' },
  { name: 'num serve endpoints', jsonPath: '.status.numServeEndpoints', type: 'string' },
];
