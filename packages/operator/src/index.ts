/**
 * The operator as a program: options, start checks, permissions, the reconcile pipeline with its observers and its actor, webhooks, listeners.
 */
export { type ClusterRole, clusterRole, type RoleLimits, withoutRbacWrites } from './permissions/cluster-role.ts';
export { describePermission, type Permission, permissionsOf } from './permissions/permission.ts';
export { ACCESS_RULES, type AccessRule, type Capability, PROFILES, type Profile } from './permissions/rules.ts';
export { runOperator } from './run-operator.ts';
