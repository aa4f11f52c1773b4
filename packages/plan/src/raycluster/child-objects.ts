import { Label, type Service, SharedEventReason } from '@manta/api';
import { alignHeadService } from '../build/align-head-service.ts';
import { buildAuthSecret } from '../build/auth-secret.ts';
import { buildHeadBudget } from '../build/head-budget.ts';
import { buildHeadService } from '../build/head-service.ts';
import { buildHeadlessService } from '../build/headless-service.ts';
import { buildServeService, NO_SERVE_PORT, wantsServeService } from '../build/serve-service.ts';
import { deleteOwn, isOwn } from '../ownership.ts';
import { type Action, validationWarning, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { planAutoscalerAccess } from './autoscaler-access.ts';
import { createUnlessExists, exists, updateChild } from './child-actions.ts';
import type { ClusterState } from './cluster-state.ts';
import { headServicesOf } from './cluster-state.ts';
import { planClaim } from './gcs-claim.ts';
import { planIngressOrRoute } from './ingress.ts';
import { objectName, warnAboutSharedNames } from './object-name.ts';
import type { ServiceRecord } from './observed.ts';

/** Every object of a cluster besides its pods, in the order in which pods need them. */
export function planChildObjects(state: ClusterState): readonly Action[] {
  return [
    ...planAutoscalerAccess(state),
    ...planIngressOrRoute(state),
    ...planAuthSecret(state),
    ...planHeadService(state),
    ...planHeadlessService(state),
    ...planServeService(state),
    ...planClaim(state),
    ...planHeadBudget(state),
    ...warnAboutSharedNames(state),
  ];
}

/** Created once and never changed: clients keep using the token. Like for any Secret, no event is emitted. */
function planAuthSecret(state: ClusterState): readonly Action[] {
  const { cluster, spec, tokenBytes, children } = state;
  const secret = buildAuthSecret(cluster, spec, tokenBytes, objectName(state));
  if (secret === undefined || exists(children.secrets, secret.metadata?.name ?? '')) return [];
  return [{ type: 'create', kind: 'Secret', objects: [secret], whenExists: 'fine' }];
}

function planHeadService(state: ClusterState): readonly Action[] {
  const { cluster, spec, context } = state;
  const found = headServicesOf(state);
  if (found.length > 1) {
    const names = found.map((service) => service.name).join(' ');
    return [
      {
        type: 'abort',
        message: `${found.length} head service found [${names}]. Please delete the extra head services`,
      },
    ];
  }
  const wantedService = buildHeadService(cluster, spec, context);
  const [only] = found;
  return only === undefined
    ? createUnlessExists(state, 'Service', 'service', wantedService, [], 'fine-if-ours')
    : updateHeadService(state, only, wantedService);
}

/** Updates only our own: users may create a Service with our labels. */
function updateHeadService(state: ClusterState, live: ServiceRecord, wanted: Service): readonly Action[] {
  if (live.service === undefined || !isOwn(state.uid, live)) return [];
  const { aligned, impossible } = alignHeadService(live.service, wanted);
  const name = wanted.metadata?.name ?? '';
  const missed = name === live.name ? impossible : `the name ${name}, under which new pods look for the head`;
  return [
    ...(missed === undefined ? [] : [cannotBeChanged(state, live.name, missed)]),
    ...(aligned === undefined ? [] : updateChild(state, 'Service', 'service', live, aligned)),
  ];
}

function cannotBeChanged(state: ClusterState, name: string, what: string): Action {
  const note = `The head service ${fullName(state, name)} cannot be changed in place to ${what}; delete it to have it made anew`;
  return { type: 'event', event: warning(SharedEventReason.FailedToUpdateService, 'Update', note) };
}

function planHeadlessService(state: ClusterState): readonly Action[] {
  const { cluster, spec, children, name } = state;
  if (children.services.some(({ labels }) => labels[Label.HeadlessWorkerService] === name)) return [];
  return createUnlessExists(state, 'Service', 'service', buildHeadlessService(cluster, spec), [], 'fine-if-ours');
}

/** Pods do not need it, so any existing Service of that name will do. */
function planServeService(state: ClusterState): readonly Action[] {
  const { cluster, spec, children } = state;
  if (!wantsServeService(cluster)) return [];
  const service = buildServeService(cluster, spec);
  if (service !== undefined) return createUnlessExists(state, 'Service', 'service', service, children.services);
  return [validationWarning(SharedEventReason.FailedToCreateService, NO_SERVE_PORT)];
}

/** Nothing depends on it, so a failure blocks nothing. */
function planHeadBudget(state: ClusterState): readonly Action[] {
  const { cluster, context, children, uid } = state;
  const wanted = buildHeadBudget(cluster, context);
  if (wanted !== undefined) {
    const words = 'pod disruption budget';
    const made = createUnlessExists(state, 'PodDisruptionBudget', words, wanted, children.budgets);
    return made.map((action) => ({ ...action, isOptional: true }));
  }
  return children.budgets.flatMap((budget) => deleteOwn(uid, 'PodDisruptionBudget', budget, { isOptional: true }));
}
