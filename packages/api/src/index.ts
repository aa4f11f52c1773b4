export type * from './core.gen.ts';
export type { Condition, ConditionStatus, KubeObject, ObjectMeta, OwnerReference, Time } from './meta.ts';
