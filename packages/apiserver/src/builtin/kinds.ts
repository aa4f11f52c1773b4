import { ownValue } from '@manta/base';
import { validateCrd, validateCrdUpdate } from '../crd/validate-crd.ts';
import { type CheckText, checkLabelName, checkPathSegment, checkSubdomainName } from '../field/names.ts';
import { emptyStruct } from './decode.ts';
import type { BuiltinKind } from './kind.ts';
import {
  prepareClaim,
  prepareLease,
  prepareNamespace,
  prepareNode,
  foldSecret,
  prepareServiceAccount,
  prepareVolume,
  prepareVolumeUpdate,
  storeBytes,
} from './prepare/core.ts';
import { prepareDefinition } from './prepare/definition.ts';
import { prepareJob } from './prepare/job.ts';
import { preparePod, preparePodUpdate } from './prepare/pod.ts';
import { prepareService, prepareServiceUpdate } from './prepare/service.ts';
import { part, withFields } from './read.ts';
import { checkBudget } from './validate/budget.ts';
import { checkClaim, checkClaimUpdate } from './validate/claim.ts';
import { checkPriorityClass, checkPriorityClassUpdate, checkStorageClass } from './validate/classes.ts';
import { checkConfigMap, checkDataUpdate, checkSecret } from './validate/data.ts';
import { checkEndpointSlice, checkEndpointSliceUpdate, checkEndpoints } from './validate/endpoints.ts';
import { checkCoreEvent, checkGroupEvent, checkGroupEventUpdate } from './validate/event.ts';
import { checkIngress, checkIngressClass } from './validate/ingress.ts';
import { checkJob, checkTemplate } from './validate/job.ts';
import { checkJobUpdate } from './validate/job-update.ts';
import { checkLease } from './validate/lease.ts';
import { checkNetworkPolicy } from './validate/network-policy.ts';
import { checkNamespace, checkNode } from './validate/node.ts';
import { checkPod } from './validate/pod-spec.ts';
import { checkPodUpdate } from './validate/pod-update.ts';
import { checkQuota } from './validate/quota.ts';
import { checkBinding, checkBindingUpdate, checkRole } from './validate/rbac.ts';
import { checkService, checkServiceAddresses, checkServiceUpdate } from './validate/service.ts';
import { checkPersistentVolume } from './validate/volume.ts';
import { checkWebhooks } from './validate/webhook.ts';
import { jobWarnings, podWarnings, serviceWarnings } from './warnings.ts';

interface Row extends Partial<BuiltinKind> {
  readonly type: string;
  readonly isClusterScoped?: boolean;
  /** Go type of the status that a creator cannot set. */
  readonly status?: string;
}

const groups: Readonly<Record<string, string>> = {
  admissionregistration: 'admissionregistration.k8s.io',
  apiextensions: 'apiextensions.k8s.io',
  authentication: 'authentication.k8s.io',
  authorization: 'authorization.k8s.io',
  coordination: 'coordination.k8s.io',
  core: '',
  discovery: 'discovery.k8s.io',
  events: 'events.k8s.io',
  networking: 'networking.k8s.io',
  rbac: 'rbac.authorization.k8s.io',
  scheduling: 'scheduling.k8s.io',
  storage: 'storage.k8s.io',
};

const rows: readonly Row[] = [
  { type: 'core.Binding' },
  {
    type: 'core.ConfigMap',
    checksMetaTwice: true,
    prepareForCreate: storeBytes,
    prepareForUpdate: storeBytes,
    validate: checkConfigMap,
    validateUpdate: checkDataUpdate(checkConfigMap),
  },
  { type: 'core.Endpoints', validate: checkEndpoints },
  { type: 'core.Event', checksFinalizers: false, validate: checkCoreEvent },
  {
    type: 'core.Namespace',
    isClusterScoped: true,
    checkName: checkLabelName,
    prepareForCreate: prepareNamespace,
    validate: checkNamespace,
  },
  { type: 'core.Node', isClusterScoped: true, prepareForCreate: prepareNode, validate: checkNode },
  {
    type: 'core.PersistentVolume',
    isClusterScoped: true,
    prepareForCreate: prepareVolume,
    prepareForUpdate: prepareVolumeUpdate,
    validate: checkPersistentVolume,
  },
  {
    type: 'core.PersistentVolumeClaim',
    prepareForCreate: prepareClaim,
    validate: checkClaim,
    validateUpdate: checkClaimUpdate,
  },
  {
    type: 'core.Pod',
    checksMetaTwice: true,
    prepareForCreate: preparePod,
    prepareForUpdate: preparePodUpdate,
    warnings: podWarnings,
    validate: checkPod,
    hasGeneration: true,
    validateUpdate: checkPodUpdate,
  },
  {
    type: 'core.PodTemplate',
    hasGeneration: true,
    validate: (object) => checkTemplate(part(object, 'template') ?? {}, 'template'),
  },
  { type: 'core.ResourceQuota', status: 'core.ResourceQuotaStatus', validate: checkQuota },
  {
    type: 'core.Secret',
    checksMetaTwice: true,
    prepareForCreate: storeBytes,
    prepareForUpdate: storeBytes,
    fold: foldSecret,
    validate: checkSecret,
    validateUpdate: checkDataUpdate(checkSecret),
  },
  {
    type: 'core.Service',
    checkName: checkLabelName,
    prepareForCreate: prepareService,
    prepareForUpdate: prepareServiceUpdate,
    warnings: serviceWarnings,
    checkFirst: checkServiceAddresses,
    validate: checkService,
    validateUpdate: checkServiceUpdate,
  },
  { type: 'core.ServiceAccount', prepareForCreate: prepareServiceAccount },
  {
    type: 'admissionregistration.MutatingWebhookConfiguration',
    checksFinalizers: false,
    isClusterScoped: true,
    hasGeneration: true,
    validate: checkWebhooks,
  },
  {
    type: 'admissionregistration.ValidatingWebhookConfiguration',
    checksFinalizers: false,
    isClusterScoped: true,
    hasGeneration: true,
    validate: checkWebhooks,
  },
  {
    type: 'apiextensions.CustomResourceDefinition',
    checksFinalizers: false,
    isClusterScoped: true,
    hasGeneration: true,
    checkName: () => [],
    prepareForCreate: prepareDefinition,
    validate: validateCrd,
    validateUpdate: (object, old, subresource) => (subresource === 'status' ? [] : validateCrdUpdate(object, old)),
  },
  { type: 'authentication.SelfSubjectReview', isClusterScoped: true },
  { type: 'authentication.TokenRequest' },
  { type: 'authentication.TokenReview', isClusterScoped: true },
  { type: 'authorization.LocalSubjectAccessReview' },
  { type: 'authorization.SelfSubjectAccessReview', isClusterScoped: true },
  { type: 'authorization.SelfSubjectRulesReview', isClusterScoped: true },
  { type: 'authorization.SubjectAccessReview', isClusterScoped: true },
  { type: 'autoscaling.Scale' },
  {
    type: 'batch.Job',
    prepareForCreate: prepareJob,
    warnings: jobWarnings,
    hasGeneration: true,
    validate: checkJob,
    validateUpdate: checkJobUpdate,
  },
  { type: 'coordination.Lease', prepareForCreate: prepareLease, validate: checkLease },
  {
    type: 'discovery.EndpointSlice',
    checksMetaTwice: true,
    hasGeneration: true,
    countsLabels: true,
    validate: checkEndpointSlice,
    validateUpdate: checkEndpointSliceUpdate,
  },
  { type: 'events.Event', validate: checkGroupEvent, validateUpdate: checkGroupEventUpdate },
  { type: 'networking.Ingress', status: 'networking.IngressStatus', hasGeneration: true, validate: checkIngress },
  { type: 'networking.IngressClass', isClusterScoped: true, hasGeneration: true, validate: checkIngressClass },
  { type: 'networking.NetworkPolicy', hasGeneration: true, validate: checkNetworkPolicy },
  { type: 'policy.Eviction' },
  {
    type: 'policy.PodDisruptionBudget',
    status: 'policy.PodDisruptionBudgetStatus',
    checksFinalizers: false,
    hasGeneration: true,
    validate: checkBudget,
  },
  { type: 'rbac.ClusterRole', isClusterScoped: true, checkName: checkPathSegment, validate: checkRole(false) },
  {
    type: 'rbac.ClusterRoleBinding',
    checksMetaTwice: true,
    isClusterScoped: true,
    checkName: checkPathSegment,
    validate: checkBinding(false),
    validateUpdate: checkBindingUpdate(false),
  },
  { type: 'rbac.Role', checkName: checkPathSegment, validate: checkRole(true) },
  {
    type: 'rbac.RoleBinding',
    checksMetaTwice: true,
    checkName: checkPathSegment,
    validate: checkBinding(true),
    validateUpdate: checkBindingUpdate(true),
  },
  {
    type: 'scheduling.PriorityClass',
    isClusterScoped: true,
    hasGeneration: true,
    validate: checkPriorityClass,
    validateUpdate: checkPriorityClassUpdate,
  },
  { type: 'storage.StorageClass', isClusterScoped: true, validate: checkStorageClass },
];

/** The kinds that Kubernetes itself has, as far as the engine serves them. */
export const builtinKinds: readonly BuiltinKind[] = rows.map((row) => {
  const [module = '', kind = ''] = row.type.split('.');
  const { isClusterScoped, status, ...rest } = row;
  const root = module === 'apiextensions' ? 'io.k8s.apiextensions-apiserver.pkg.apis' : 'io.k8s.api';
  const checkName: CheckText = row.checkName ?? checkSubdomainName;
  return {
    group: ownValue(groups, module) ?? module,
    kind,
    definition: `${root}.${module}.v1.${kind}`,
    isNamespaced: isClusterScoped !== true,
    hasGeneration: false,
    checksFinalizers: true,
    ...(status === undefined
      ? {}
      : { prepareForCreate: (object) => withFields(object, { status: emptyStruct(status) }) }),
    ...rest,
    checkName,
  };
});
