import { SharedEventReason } from '@manta/api';
import { alignIngress, buildIngress } from '../build/ingress.ts';
import { alignRoute, buildRoute } from '../build/route.ts';
import { deleteOwn, isOwn, type Seen, updateOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { createUnlessThere, updateChild } from './create-child.ts';
import { ingressName } from './ingress-name.ts';
import type { Subject } from './subject.ts';

/** The way in from outside: a Route on OpenShift unless the installation prefers Ingress, an Ingress elsewhere. */
export function planEntry(subject: Subject): readonly Action[] {
  const { installed, context } = subject;
  return installed.openShift && !context.env.ingressOnOpenShift ? planRoute(subject) : planIngress(subject);
}

function planRoute(subject: Subject): readonly Action[] {
  const { cluster, spec, children, uid } = subject;
  const wanted = buildRoute(cluster, spec);
  if (wanted === undefined) return children.routes.flatMap((route) => remove(subject, 'Route', 'route', route));
  if (children.routes.length === 0) return createUnlessThere(subject, 'Route', 'route', wanted, []);
  const live = children.routes.find((each) => each.name === wanted.metadata?.name && isOwn(uid, each));
  const aligned = live?.route === undefined ? undefined : alignRoute(live.route, wanted);
  return live === undefined || aligned === undefined ? [] : updateChild(subject, 'Route', 'route', live, aligned);
}

function planIngress(subject: Subject): readonly Action[] {
  const { cluster, spec, children, uid } = subject;
  const wanted = buildIngress(cluster, spec, ingressName(subject));
  if (wanted === undefined)
    return children.ingresses.flatMap((ingress) => remove(subject, 'Ingress', 'ingress', ingress));
  const name = wanted.metadata?.name ?? '';
  const live = children.ingresses.find(({ metadata }) => metadata?.name === name);
  if (live === undefined) return createUnlessThere(subject, 'Ingress', 'ingress', wanted, []);
  if (!isOwn(uid, live)) {
    const note = `Ingress ${fullName(subject, name)} already exists and is not owned by this RayCluster; not modifying it`;
    return [{ type: 'event', event: warning(SharedEventReason.FailedToCreateIngress, 'Create', note) }];
  }
  const aligned = alignIngress(live, wanted);
  if (aligned === undefined) return [];
  const told = `ingress ${fullName(subject, name)}`;
  return updateOwn(uid, 'Ingress', live, aligned, {
    done: normal(SharedEventReason.UpdatedIngress, 'Update', `Updated ${told}`),
    failed: warning(SharedEventReason.FailedToUpdateIngress, 'Update', `Failed updating ${told}`),
  });
}

/** Disabling the Ingress deletes it; one that another object controls, or nobody, stays. */
function remove(subject: Subject, kind: 'Ingress' | 'Route', words: string, seen: Seen): readonly Action[] {
  const name = 'uid' in seen ? seen.name : (seen.metadata?.name ?? '');
  const note = `Deleted ${words} ${fullName(subject, name)}`;
  return deleteOwn(subject.uid, kind, seen, { done: normal(SharedEventReason[`Deleted${kind}`], 'Delete', note) });
}
