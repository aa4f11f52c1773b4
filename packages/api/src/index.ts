export type * from './core.gen.ts';
export type { Condition, ConditionStatus, KubeObject, ObjectMeta, OwnerReference, Time } from './meta.ts';
export * from './raycluster.ts';
export * from './raycronjob.ts';
export * from './rayjob.ts';
export * from './rayservice.ts';
export type * from './v1alpha1.ts';
