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
import { planAutoscalerAccess } from './access.ts';
import { planClaim } from './claim.ts';
import { createUnlessThere, isThere, updateChild } from './create-child.ts';
import { planEntry } from './entry.ts';
import { headServicesOf } from './head-services.ts';
import { objectName } from './object-name.ts';
import type { ServiceRecord } from './observed.ts';
import { tellOfSharedNames } from './shared-names.ts';
import type { Subject } from './subject.ts';

/** Everything that belongs to a cluster besides its pods, in the order in which pods come to need it. */
export function planChildren(subject: Subject): readonly Action[] {
  return [
    ...planAutoscalerAccess(subject),
    ...planEntry(subject),
    ...planAuthSecret(subject),
    ...planHeadService(subject),
    ...planHeadlessService(subject),
    ...planServeService(subject),
    ...planClaim(subject),
    ...planHeadBudget(subject),
    ...tellOfSharedNames(subject),
  ];
}

/** Made once and never changed: whoever has the token goes on using it. Nobody is told, as with any secret. */
function planAuthSecret(subject: Subject): readonly Action[] {
  const { cluster, spec, tokenBytes, children } = subject;
  const secret = buildAuthSecret(cluster, spec, tokenBytes, objectName(subject));
  if (secret === undefined || isThere(children.secrets, secret.metadata?.name ?? '')) return [];
  return [{ type: 'create', kind: 'Secret', objects: [secret], whenExists: 'fine' }];
}

function planHeadService(subject: Subject): readonly Action[] {
  const { cluster, spec, context } = subject;
  const found = headServicesOf(subject);
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
    ? createUnlessThere(subject, 'Service', 'service', wantedService, [], 'fine-if-ours')
    : updateHeadService(subject, only, wantedService);
}

/** Only what is ours: users may bring their own under our labels. */
function updateHeadService(subject: Subject, live: ServiceRecord, wanted: Service): readonly Action[] {
  if (live.service === undefined || !isOwn(subject.uid, live)) return [];
  const { aligned, impossible } = alignHeadService(live.service, wanted);
  const name = wanted.metadata?.name ?? '';
  const missed = name === live.name ? impossible : `the name ${name}, under which new pods look for the head`;
  return [
    ...(missed === undefined ? [] : [cannotBeChanged(subject, live.name, missed)]),
    ...(aligned === undefined ? [] : updateChild(subject, 'Service', 'service', live, aligned)),
  ];
}

function cannotBeChanged(subject: Subject, name: string, what: string): Action {
  const note = `The head service ${fullName(subject, name)} cannot be changed in place to ${what}; delete it to have it made anew`;
  return { type: 'event', event: warning(SharedEventReason.FailedToUpdateService, 'Update', note) };
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

/** Nothing depends on it, so a refusal holds up nothing. */
function planHeadBudget(subject: Subject): readonly Action[] {
  const { cluster, context, children, uid } = subject;
  const wanted = buildHeadBudget(cluster, context);
  if (wanted !== undefined) {
    const words = 'pod disruption budget';
    const made = createUnlessThere(subject, 'PodDisruptionBudget', words, wanted, children.budgets);
    return made.map((action) => ({ ...action, isOptional: true }));
  }
  return children.budgets.flatMap((budget) => deleteOwn(uid, 'PodDisruptionBudget', budget, { isOptional: true }));
}
