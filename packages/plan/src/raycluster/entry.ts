import { SharedEventReason } from '@manta/api';
import { alignIngress, buildIngress } from '../build/ingress.ts';
import { alignRoute, buildRoute } from '../build/route.ts';
import { type Action, normal, warning } from '../plan.ts';
import { createUnlessThere, updateChild } from './create-child.ts';
import { fullName, type Subject } from './subject.ts';

/** The way in from outside: a Route on OpenShift unless the installation prefers Ingress, an Ingress elsewhere. */
export function planEntry(subject: Subject): readonly Action[] {
  const { installed, context } = subject;
  return installed.openShift && !context.env.ingressOnOpenShift ? planRoute(subject) : planIngress(subject);
}

function planRoute(subject: Subject): readonly Action[] {
  const { cluster, spec, children, uid } = subject;
  const wanted = buildRoute(cluster, spec);
  if (wanted === undefined)
    return children.routes
      .filter(({ owner }) => owner === uid)
      .map((route) => remove(subject, 'Route', 'route', route));
  if (children.routes.length === 0) return createUnlessThere(subject, 'Route', 'route', wanted, []);
  const live = children.routes.find(({ name, owner }) => name === wanted.metadata?.name && owner === uid)?.route;
  const aligned = live === undefined ? undefined : alignRoute(live, wanted);
  return aligned === undefined ? [] : [updateChild(subject, 'Route', 'route', aligned)];
}

function planIngress(subject: Subject): readonly Action[] {
  const { cluster, spec, children } = subject;
  const wanted = buildIngress(cluster, spec);
  const ours = children.ingresses.filter(({ metadata }) => isOurs(subject, metadata?.ownerReferences));
  if (wanted === undefined)
    return ours.map(({ metadata: { name = '', uid = '' } = {} }) =>
      remove(subject, 'Ingress', 'ingress', { name, uid }),
    );
  const name = wanted.metadata?.name ?? '';
  const live = children.ingresses.find(({ metadata }) => metadata?.name === name);
  if (live === undefined) return createUnlessThere(subject, 'Ingress', 'ingress', wanted, []);
  if (!ours.includes(live)) {
    const note = `Ingress ${fullName(subject, name)} already exists and is not owned by this RayCluster; not modifying it`;
    return [{ type: 'event', event: warning(SharedEventReason.FailedToCreateIngress, 'Create', note) }];
  }
  const aligned = alignIngress(live, wanted);
  if (aligned === undefined) return [];
  const told = `ingress ${fullName(subject, name)}`;
  return [
    {
      type: 'update',
      kind: 'Ingress',
      object: aligned,
      done: normal(SharedEventReason.UpdatedIngress, 'Update', `Updated ${told}`),
      failed: warning(SharedEventReason.FailedToUpdateIngress, 'Update', `Failed updating ${told}`),
    },
  ];
}

/** Switching the way in off takes it away; one that somebody else made stays. */
function remove(
  subject: Subject,
  kind: 'Ingress' | 'Route',
  words: string,
  { name, uid }: { readonly name: string; readonly uid: string },
): Action {
  const note = `Deleted ${words} ${fullName(subject, name)}`;
  return { type: 'delete', kind, name, uid, done: normal(SharedEventReason[`Deleted${kind}`], 'Delete', note) };
}

function isOurs(
  { uid }: Subject,
  owners: readonly { readonly uid: string; readonly controller?: boolean }[] = [],
): boolean {
  return owners.some((owner) => owner.controller === true && owner.uid === uid);
}
