import {
  type CheckText,
  checkLabelName,
  checkPathSegment,
  checkServiceName,
  checkSubdomainName,
} from '../field/names.ts';
import { emptyStruct } from './decode.ts';
import type { BuiltinKind } from './kind.ts';
import { prepareClaim, prepareNamespace, prepareNode, prepareSecret, prepareVolume } from './prepare/core.ts';
import { prepareJob } from './prepare/job.ts';
import { preparePod } from './prepare/pod.ts';
import { prepareService } from './prepare/service.ts';
import { withFields } from './read.ts';
import { checkClaim, checkClaimUpdate } from './validate/claim.ts';
import { checkPod } from './validate/pod-spec.ts';

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
  { type: 'core.ConfigMap' },
  { type: 'core.Endpoints' },
  { type: 'core.Event' },
  { type: 'core.Namespace', isClusterScoped: true, checkName: checkLabelName, prepareForCreate: prepareNamespace },
  { type: 'core.Node', isClusterScoped: true, prepareForCreate: prepareNode },
  { type: 'core.PersistentVolume', isClusterScoped: true, prepareForCreate: prepareVolume },
  {
    type: 'core.PersistentVolumeClaim',
    prepareForCreate: prepareClaim,
    validate: checkClaim,
    validateUpdate: checkClaimUpdate,
  },
  { type: 'core.Pod', prepareForCreate: preparePod, validate: checkPod, hasGeneration: true },
  { type: 'core.PodTemplate', hasGeneration: true },
  { type: 'core.ResourceQuota', status: 'core.ResourceQuotaStatus' },
  { type: 'core.Secret', prepareForCreate: prepareSecret },
  { type: 'core.Service', checkName: checkServiceName, prepareForCreate: prepareService },
  { type: 'core.ServiceAccount' },
  { type: 'admissionregistration.MutatingWebhookConfiguration', isClusterScoped: true, hasGeneration: true },
  { type: 'admissionregistration.ValidatingWebhookConfiguration', isClusterScoped: true, hasGeneration: true },
  { type: 'apiextensions.CustomResourceDefinition', isClusterScoped: true, hasGeneration: true },
  { type: 'authentication.SelfSubjectReview', isClusterScoped: true },
  { type: 'authentication.TokenRequest' },
  { type: 'authentication.TokenReview', isClusterScoped: true },
  { type: 'authorization.LocalSubjectAccessReview' },
  { type: 'authorization.SelfSubjectAccessReview', isClusterScoped: true },
  { type: 'authorization.SelfSubjectRulesReview', isClusterScoped: true },
  { type: 'authorization.SubjectAccessReview', isClusterScoped: true },
  { type: 'autoscaling.Scale' },
  { type: 'batch.Job', prepareForCreate: prepareJob, hasGeneration: true },
  { type: 'coordination.Lease' },
  { type: 'discovery.EndpointSlice', hasGeneration: true },
  { type: 'events.Event' },
  { type: 'networking.Ingress', status: 'networking.IngressStatus', hasGeneration: true },
  { type: 'networking.IngressClass', isClusterScoped: true, hasGeneration: true },
  { type: 'networking.NetworkPolicy', hasGeneration: true },
  { type: 'policy.Eviction' },
  { type: 'policy.PodDisruptionBudget', status: 'policy.PodDisruptionBudgetStatus', hasGeneration: true },
  { type: 'rbac.ClusterRole', isClusterScoped: true, checkName: checkPathSegment },
  { type: 'rbac.ClusterRoleBinding', isClusterScoped: true, checkName: checkPathSegment },
  { type: 'rbac.Role', checkName: checkPathSegment },
  { type: 'rbac.RoleBinding', checkName: checkPathSegment },
  { type: 'scheduling.PriorityClass', isClusterScoped: true, hasGeneration: true },
  { type: 'storage.StorageClass', isClusterScoped: true },
];

/** The kinds that Kubernetes itself has, as far as the engine serves them. */
export const builtinKinds: readonly BuiltinKind[] = rows.map((row) => {
  const [module = '', kind = ''] = row.type.split('.');
  const { isClusterScoped, status, ...rest } = row;
  const root = module === 'apiextensions' ? 'io.k8s.apiextensions-apiserver.pkg.apis' : 'io.k8s.api';
  const checkName: CheckText = row.checkName ?? checkSubdomainName;
  return {
    group: groups[module] ?? module,
    kind,
    definition: `${root}.${module}.v1.${kind}`,
    isNamespaced: isClusterScoped !== true,
    hasGeneration: false,
    ...(status === undefined
      ? {}
      : { prepareForCreate: (object) => withFields(object, { status: emptyStruct(status) }) }),
    ...rest,
    checkName,
  };
});
