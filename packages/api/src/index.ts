export type { Condition, ConditionStatus, KubeObject, ObjectMeta, OwnerReference, Time } from './meta.ts';
