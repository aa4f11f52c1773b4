import type { CustomResourceColumnDefinition } from '../core.gen.ts';
import { bool, map, object, type Schema, string } from './dsl.ts';
import { headGroup, workerGroups } from './raycluster-groups.ts';
import {
  authOptions,
  autoscalerOptions,
  gcsFaultToleranceOptions,
  historyServerOptions,
  networkPolicy,
  tlsOptions,
} from './raycluster-options.ts';
import { clusterStatus } from './raycluster-status.ts';
import { managedBy, root } from './shared-fields.ts';

/** The fields of a RayCluster's spec. */
export const clusterSpecFields = {
  headGroupSpec: headGroup,
  workerGroupSpecs: workerGroups,
  rayVersion: string(
    'Ray version of the images, for example `2.52.0`. The operator reads it to decide which features the cluster supports.',
  ),
  enableInTreeAutoscaling: bool(
    'Runs the Ray autoscaler as a container of the head pod. The autoscaler then sets the replicas of the groups.',
  ),
  autoscalerOptions,
  headServiceAnnotations: map(string(), 'Annotations of the head Service.'),
  suspend: bool('Deletes all pods of the cluster. Set to false to recreate them.'),
  managedBy,
  upgradeStrategy: object(
    {
      type: string('Recreate replaces all pods after a change of the spec; None keeps existing pods.', {
        enum: ['Recreate', 'None'],
      }),
    },
    'What the operator does with running pods after a change of the spec.',
  ),
  authOptions,
  gcsFaultToleranceOptions,
  historyServerOptions,
  networkPolicy,
  tlsOptions,
};

/** A RayCluster's spec in v1, also embedded by RayJob and RayService. */
export function clusterSpec(description: string): Schema {
  return object(clusterSpecFields, description, { required: ['headGroupSpec'] });
}

/** The RayCluster kind in v1. */
export const rayCluster: Schema = root(
  clusterSpec('Desired state of the Ray cluster.'),
  clusterStatus,
  'A Ray cluster: one head pod and groups of worker pods.',
);

/** What `kubectl get rayclusters` shows. */
export const rayClusterColumns: readonly CustomResourceColumnDefinition[] = [
  { name: 'desired workers', jsonPath: '.status.desiredWorkerReplicas', type: 'integer' },
  { name: 'available workers', jsonPath: '.status.availableWorkerReplicas', type: 'integer' },
  { name: 'cpus', jsonPath: '.status.desiredCPU', type: 'string' },
  { name: 'memory', jsonPath: '.status.desiredMemory', type: 'string' },
  { name: 'gpus', jsonPath: '.status.desiredGPU', type: 'string' },
  { name: 'tpus', jsonPath: '.status.desiredTPU', type: 'string', priority: 1 },
  { name: 'status', jsonPath: '.status.state', type: 'string' },
  { name: 'age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
  { name: 'head pod IP', jsonPath: '.status.head.podIP', type: 'string', priority: 1 },
  { name: 'head service IP', jsonPath: '.status.head.serviceIP', type: 'string', priority: 1 },
  { name: 'reason', jsonPath: '.status.reason', type: 'string' },
  { name: 'message', jsonPath: '.status.conditions[?(@.type=="HeadPodReady")].message', type: 'string', priority: 1 },
];
