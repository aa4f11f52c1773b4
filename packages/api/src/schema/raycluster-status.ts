import { int, map, object, quantity, type Schema, string, time } from './dsl.ts';
import { conditions } from './shared-fields.ts';

/** The fields of `status.head`. */
export const headInfoFields = {
  podIP: string('IP address of the head pod.'),
  podName: string('Name of the head pod.'),
  serviceIP: string("IP address of the head Service, or the pod's where the Service has none."),
  serviceName: string('Name of the head Service.'),
};

const headDescription = 'Where the head is.';

/** The fields of a RayCluster's status. */
export const clusterStatusFields = {
  state: string('`ready`, `suspended`, `failed`, or empty; the conditions say more.'),
  reason: string('Why the cluster is not ready.'),
  desiredCPU: quantity('CPU that all wanted pods ask for.'),
  desiredMemory: quantity('Memory that all wanted pods ask for.'),
  desiredGPU: quantity('GPUs that all wanted pods ask for.'),
  desiredTPU: quantity('TPUs that all wanted pods ask for.'),
  desiredWorkerReplicas: int('Worker pods that should run.'),
  minWorkerReplicas: int('The fewest worker pods that all groups together may have.'),
  maxWorkerReplicas: int('The most worker pods that all groups together may have.'),
  readyWorkerReplicas: int('Worker pods that are ready.'),
  availableWorkerReplicas: int('Worker pods that are running.'),
  head: object(headInfoFields, headDescription),
  endpoints: map(string(), "Ports of the head Service: a port's name to its number."),
  conditions,
  lastUpdateTime: time('When this status last changed.', { nullable: true }),
  stateTransitionTimes: map(time(), 'When each state was last entered.'),
  observedGeneration: int('The generation of the spec that this status speaks of.', undefined, 'int64'),
};

/** A RayCluster's status in v1; RayJob and RayService carry a copy of it. */
export const clusterStatus: Schema = object(clusterStatusFields, 'What is known of the cluster.');

/** `status.head` with fewer fields, for v1alpha1. */
export function headInfo(fields: Readonly<Record<string, Schema>>): Schema {
  return object(fields, headDescription);
}
