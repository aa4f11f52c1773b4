import { int, map, object, quantity, type Schema, string, time } from './dsl.ts';
import { conditions } from './shared-fields.ts';

/** The fields of `status.head`. */
export const headInfoFields = {
  podIP: string('IP address of the head pod.'),
  podName: string('Name of the head pod.'),
  serviceIP: string('IP address of the head Service, or of the head pod if the Service has none.'),
  serviceName: string('Name of the head Service.'),
};

const headDescription = 'Address of the head.';

/** The fields of a RayCluster's status. */
export const clusterStatusFields = {
  state: string('`ready`, `suspended`, `failed`, or empty. The conditions have the details.'),
  reason: string('Reason why the cluster is not ready.'),
  desiredCPU: quantity('Sum of the CPU requests of all desired pods.'),
  desiredMemory: quantity('Sum of the memory requests of all desired pods.'),
  desiredGPU: quantity('Sum of the GPU requests of all desired pods.'),
  desiredTPU: quantity('Sum of the TPU requests of all desired pods.'),
  desiredWorkerReplicas: int('Desired number of worker pods.'),
  minWorkerReplicas: int('Sum of the minimum sizes of all groups.'),
  maxWorkerReplicas: int('Sum of the maximum sizes of all groups.'),
  readyWorkerReplicas: int('Number of ready worker pods.'),
  availableWorkerReplicas: int('Number of running worker pods.'),
  head: object(headInfoFields, headDescription),
  endpoints: map(string(), 'Ports of the head Service: name to number.'),
  conditions,
  lastUpdateTime: time('Time of the last change of this status.', { nullable: true }),
  stateTransitionTimes: map(time(), 'Time of the last transition into each state.'),
  observedGeneration: int('Generation of the spec that this status describes.', undefined, 'int64'),
};

/** A RayCluster's status in v1; RayJob and RayService carry a copy of it. */
export const clusterStatus: Schema = object(clusterStatusFields, 'Observed state of the cluster.');

/** `status.head` with fewer fields, for v1alpha1. */
export function headInfo(fields: Readonly<Record<string, Schema>>): Schema {
  return object(fields, headDescription);
}
