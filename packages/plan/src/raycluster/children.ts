import { isAutoscalingEnabled, Label, SharedEventReason } from '@manta/api';
import { buildAuthSecret } from '../build/auth-secret.ts';
import {
  buildAutoscalerRole,
  buildAutoscalerRoleBinding,
  buildAutoscalerServiceAccount,
  ownServiceAccount,
} from '../build/autoscaler-access.ts';
import { buildHeadService, headServiceSelector } from '../build/head-service.ts';
import { buildHeadlessService } from '../build/headless-service.ts';
import { buildServeService, NO_SERVE_PORT, wantsServeService } from '../build/serve-service.ts';
import { type Action, validationWarning } from '../plan.ts';
import { planClaim } from './claim.ts';
import { createUnlessThere, isThere } from './create-child.ts';
import { planEntry } from './entry.ts';
import { fullName, type Subject } from './subject.ts';

/** Everything that belongs to a cluster besides its pods, in the order in which pods come to need it. */
export function planChildren(subject: Subject): readonly Action[] {
  return [
    ...planServiceAccount(subject),
    ...planAccess(subject),
    ...planEntry(subject),
    ...planAuthSecret(subject),
    ...planHeadService(subject),
    ...planHeadlessService(subject),
    ...planServeService(subject),
    ...planClaim(subject),
  ];
}

/** Users who name an account for the head bring it themselves: without it the head could not be created. */
function planServiceAccount(subject: Subject): readonly Action[] {
  const { spec, cluster, children, name, unreadable } = subject;
  const own = isAutoscalingEnabled(spec) ? ownServiceAccount(spec) : undefined;
  if (own !== undefined && !unreadable.has('ServiceAccount') && !isThere(children.serviceAccounts, own)) {
    const note = `Failed to reconcile RayCluster ${fullName(subject, name)}. If users specify ServiceAccountName for the head Pod, they need to create a ServiceAccount themselves. However, ServiceAccount ${own} is not found. Please create one. See the PR description of https://github.com/ray-project/kuberay/pull/1128 for more details.`;
    return [
      validationWarning(SharedEventReason.AutoscalerServiceAccountNotFound, note),
      { type: 'fail', message: `serviceaccounts "${own}" not found` },
    ];
  }
  return createUnlessThere(
    subject,
    'ServiceAccount',
    'service account',
    buildAutoscalerServiceAccount(cluster, spec),
    children.serviceAccounts,
  );
}

function planAccess(subject: Subject): readonly Action[] {
  const { spec, cluster, children } = subject;
  return [
    ...createUnlessThere(subject, 'Role', 'role', buildAutoscalerRole(cluster, spec), children.roles),
    ...createUnlessThere(
      subject,
      'RoleBinding',
      'role binding',
      buildAutoscalerRoleBinding(cluster, spec),
      children.roleBindings,
    ),
  ];
}

/** Made once and never changed: whoever has the token goes on using it. Nobody is told, as with any secret. */
function planAuthSecret({ cluster, spec, tokenBytes, children }: Subject): readonly Action[] {
  const secret = buildAuthSecret(cluster, spec, tokenBytes);
  if (secret === undefined || isThere(children.secrets, secret.metadata?.name ?? '')) return [];
  return [{ type: 'create', kind: 'Secret', objects: [secret], whenExists: 'fine' }];
}

function planHeadService(subject: Subject): readonly Action[] {
  const { cluster, spec, context, children, name } = subject;
  const wanted = Object.entries(headServiceSelector(name));
  const found = children.services.filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value));
  if (found.length > 1) {
    const names = found.map((service) => service.name).join(' ');
    return [
      { type: 'fail', message: `${found.length} head service found [${names}]. Please delete the extra head services` },
    ];
  }
  return found.length === 1
    ? []
    : createUnlessThere(subject, 'Service', 'service', buildHeadService(cluster, spec, context), [], 'fine-if-ours');
}

function planHeadlessService(subject: Subject): readonly Action[] {
  const { cluster, spec, children, name } = subject;
  if (children.services.some(({ labels }) => labels[Label.HeadlessWorkerService] === name)) return [];
  return createUnlessThere(subject, 'Service', 'service', buildHeadlessService(cluster, spec), [], 'fine-if-ours');
}

/** Pods do not need it, so one of that name that somebody else has made is as good. */
function planServeService(subject: Subject): readonly Action[] {
  const { cluster, spec, children } = subject;
  if (!wantsServeService(cluster)) return [];
  const service = buildServeService(cluster, spec);
  if (service !== undefined) return createUnlessThere(subject, 'Service', 'service', service, children.services);
  return [validationWarning(SharedEventReason.FailedToCreateService, NO_SERVE_PORT)];
}
