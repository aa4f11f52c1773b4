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
  rayVersion: string('Version of Ray in the images, such as `2.52.0`; features that need a newer Ray look here.'),
  enableInTreeAutoscaling: bool('Runs the Ray autoscaler beside the head, which then sets the replicas of the groups.'),
  autoscalerOptions,
  headServiceAnnotations: map(string(), 'Annotations of the head Service.'),
  suspend: bool('Takes all pods of the cluster down, and brings them back when set to false again.'),
  managedBy,
  upgradeStrategy: object(
    {
      type: string('Recreate replaces all pods when the spec changes; None leaves them as they are.', {
        enum: ['Recreate', 'None'],
      }),
    },
    'What happens to running pods when the spec changes.',
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
  clusterSpec('The wanted Ray cluster.'),
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
];
