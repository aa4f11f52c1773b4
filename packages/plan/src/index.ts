export type { BuildContext, PodDefaults } from './build/context.ts';
export { storageNamespaceOf } from './build/gcs-ft.ts';
export { buildHeadPod, headFqdn, stampHeadPod } from './build/head-pod.ts';
export type { ReplicaPlace } from './build/pod-labels.ts';
export { buildWorkerPod } from './build/worker-pod.ts';
export { type Action, NOTHING, type Plan, type PlannedEvent } from './plan.ts';
export type { ObservedRayCluster } from './raycluster/observed.ts';
export { planRayCluster } from './raycluster/plan.ts';
