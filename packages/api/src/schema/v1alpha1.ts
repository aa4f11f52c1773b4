import { list, object, pick, type Schema, string, time } from './dsl.ts';
import { clusterSpecFields } from './raycluster.ts';
import { headGroupFields, workerGroupFields } from './raycluster-groups.ts';
import { autoscalerFields } from './raycluster-options.ts';
import { clusterStatusFields, headInfo, headInfoFields } from './raycluster-status.ts';
import { jobSpecFields, jobStatusFields } from './rayjob.ts';
import { applicationStatuses, serviceSpecFields, serviceStatusFields } from './rayservice.ts';
import { root } from './shared-fields.ts';

/** The deprecated version: the fields it had when it was frozen. New fields of v1 do not come here. */
const headGroup = object(
  pick(headGroupFields, 'template', 'rayStartParams', 'serviceType', 'headService', 'enableIngress'),
  'The head of the Ray cluster.',
  { required: ['rayStartParams', 'template'] },
);

const workerGroup = object(
  pick(
    workerGroupFields,
    'groupName',
    'template',
    'rayStartParams',
    'replicas',
    'minReplicas',
    'maxReplicas',
    'scaleStrategy',
  ),
  undefined,
  { required: ['groupName', 'maxReplicas', 'minReplicas', 'rayStartParams', 'template'] },
);

const autoscalerOptions = object(
  pick(
    autoscalerFields,
    'resources',
    'image',
    'imagePullPolicy',
    'securityContext',
    'idleTimeoutSeconds',
    'upscalingMode',
    'env',
    'envFrom',
    'volumeMounts',
  ),
  'Settings of the Ray autoscaler container.',
);

const clusterSpec = object(
  {
    headGroupSpec: headGroup,
    workerGroupSpecs: list(workerGroup, 'The groups of worker pods.'),
    autoscalerOptions,
    ...pick(clusterSpecFields, 'rayVersion', 'enableInTreeAutoscaling', 'headServiceAnnotations', 'suspend'),
  },
  'Desired state of the Ray cluster.',
  { required: ['headGroupSpec'] },
);

const clusterStatus = object(
  {
    ...pick(
      clusterStatusFields,
      'state',
      'reason',
      'desiredCPU',
      'desiredMemory',
      'desiredGPU',
      'desiredTPU',
      'desiredWorkerReplicas',
      'minWorkerReplicas',
      'maxWorkerReplicas',
      'readyWorkerReplicas',
      'availableWorkerReplicas',
      'endpoints',
      'lastUpdateTime',
      'observedGeneration',
    ),
    head: headInfo(pick(headInfoFields, 'podIP', 'serviceIP')),
  },
  'Observed state of the cluster.',
);

const jobSpec = object(
  {
    ...pick(
      jobSpecFields,
      'entrypoint',
      'clusterSelector',
      'metadata',
      'jobId',
      'runtimeEnvYAML',
      'shutdownAfterJobFinishes',
      'ttlSecondsAfterFinished',
      'suspend',
      'submitterPodTemplate',
      'entrypointNumCpus',
      'entrypointNumGpus',
      'entrypointResources',
    ),
    rayClusterSpec: clusterSpec,
  },
  'Desired state of the job.',
  { required: ['entrypoint'] },
);

const jobStatus = object(
  {
    ...pick(
      jobStatusFields,
      'jobId',
      'rayClusterName',
      'dashboardURL',
      'jobStatus',
      'jobDeploymentStatus',
      'message',
      'startTime',
      'endTime',
      'observedGeneration',
    ),
    rayClusterStatus: clusterStatus,
  },
  'Observed state of the job.',
);

const serviceSpec = object(
  {
    ...pick(
      serviceSpecFields,
      'serveConfigV2',
      'serveService',
      'serviceUnhealthySecondThreshold',
      'deploymentUnhealthySecondThreshold',
    ),
    rayClusterConfig: clusterSpec,
  },
  'Desired state of the service.',
);

const servingCluster = object({
  rayClusterName: string('Name of the cluster.'),
  rayClusterStatus: clusterStatus,
  applicationStatuses: applicationStatuses({ healthLastUpdateTime: time('When the health last changed.') }),
});

const serviceStatus = object(
  {
    ...pick(serviceStatusFields, 'serviceStatus', 'lastUpdateTime', 'observedGeneration'),
    activeServiceStatus: servingCluster,
    pendingServiceStatus: servingCluster,
  },
  'Observed state of the service.',
);

/** The RayCluster kind in v1alpha1. */
export const rayClusterAlpha: Schema = root(clusterSpec, clusterStatus, 'A Ray cluster. Use ray.io/v1 instead.');

/** The RayJob kind in v1alpha1. */
export const rayJobAlpha: Schema = root(jobSpec, jobStatus, 'A job on Ray. Use ray.io/v1 instead.');

/** The RayService kind in v1alpha1. */
export const rayServiceAlpha: Schema = root(serviceSpec, serviceStatus, 'A Ray Serve service. Use ray.io/v1 instead.');
