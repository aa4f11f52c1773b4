/**
 * The controllers that Kubernetes itself has, on the store of the embedded API server. `startControllers` starts all of them;
 * `startController` runs one, and is also what the kubelet is built on. `Cluster` is the interface to the store and the API.
 */

export { joinKey, nameOf, readAll, readOne, splitKey, type Cluster, type Stored } from './framework/cluster.ts';
export {
  startController,
  type Controller,
  type Enqueue,
  type RequeueAfter,
  type StopController,
} from './framework/controller.ts';
export { createEventRecorder } from './framework/event-recorder.ts';
export {
  configMaps,
  endpointSlices,
  leases,
  nodes,
  persistentVolumeClaims,
  pods,
  services,
} from './framework/kinds.ts';
export { isNotFound } from './framework/refusal.ts';
export { KUBERNETES_ADDRESS, kubernetesEndpoints, kubernetesService } from './service/kubernetes-service.ts';
export { CONTROLLERS, startControllers, type ControllerName } from './start-controllers.ts';
