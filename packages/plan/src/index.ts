export type { BuildContext, PodDefaults } from './build/context.ts';
export { storageNamespaceOf } from './build/gcs-ft.ts';
export { buildHeadPod, headFqdn, stampHeadPod } from './build/head-pod.ts';
export type { ReplicaPlace } from './build/pod-labels.ts';
export { buildWorkerPod } from './build/worker-pod.ts';
