import { SharedEventReason, serviceNames } from '@manta/api';
import { alignIngress, buildIngress } from '../build/ingress.ts';
import { alignRoute, buildRoute } from '../build/route.ts';
import { deleteOwn, isOwn, type Seen, updateOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { createUnlessExists, updateChild } from './child-actions.ts';
import type { ClusterState } from './cluster-state.ts';
import { derivedSuffix } from './derived-names.ts';

/** Ingress to the dashboard: a Route on OpenShift unless the installation prefers Ingress, an Ingress elsewhere. */
export function planIngressOrRoute(state: ClusterState): readonly Action[] {
  const { installed, context } = state;
  return installed.openShift && !context.env.ingressOnOpenShift ? planRoute(state) : planIngress(state);
}

function planRoute(state: ClusterState): readonly Action[] {
  const { cluster, spec, children, uid } = state;
  const wanted = buildRoute(cluster, spec);
  if (wanted === undefined) return children.routes.flatMap((route) => remove(state, 'Route', 'route', route));
  if (children.routes.length === 0) return createUnlessExists(state, 'Route', 'route', wanted, []);
  const live = children.routes.find((each) => each.name === wanted.metadata?.name && isOwn(uid, each));
  const aligned = live?.route === undefined ? undefined : alignRoute(live.route, wanted);
  return live === undefined || aligned === undefined ? [] : updateChild(state, 'Route', 'route', live, aligned);
}

function planIngress(state: ClusterState): readonly Action[] {
  const { cluster, spec, children, uid } = state;
  const wanted = buildIngress(cluster, spec, ingressName(state));
  if (wanted === undefined)
    return children.ingresses.flatMap((ingress) => remove(state, 'Ingress', 'ingress', ingress));
  const name = wanted.metadata?.name ?? '';
  const live = children.ingresses.find(({ metadata }) => metadata?.name === name);
  if (live === undefined) return createUnlessExists(state, 'Ingress', 'ingress', wanted, []);
  if (!isOwn(uid, live)) {
    const note = `Ingress ${fullName(state, name)} already exists and is not owned by this RayCluster; not modifying it`;
    return [{ type: 'event', event: warning(SharedEventReason.FailedToCreateIngress, 'Create', note) }];
  }
  const aligned = alignIngress(live, wanted);
  if (aligned === undefined) return [];
  const description = `ingress ${fullName(state, name)}`;
  return updateOwn(uid, 'Ingress', live, aligned, {
    done: normal(SharedEventReason.UpdatedIngress, 'Update', `Updated ${description}`),
    failed: warning(SharedEventReason.FailedToUpdateIngress, 'Update', `Failed updating ${description}`),
  });
}

/** Disabling the Ingress deletes it, but only if this cluster controls it. */
function remove(state: ClusterState, kind: 'Ingress' | 'Route', words: string, seen: Seen): readonly Action[] {
  const name = 'uid' in seen ? seen.name : (seen.metadata?.name ?? '');
  const note = `Deleted ${words} ${fullName(state, name)}`;
  return deleteOwn(state.uid, kind, seen, { done: normal(SharedEventReason[`Deleted${kind}`], 'Delete', note) });
}

/** Length of the cluster's name that fits beside the suffix and the ending: names have at most 50 characters. */
const KEPT = 31;
const ENDING = '-head-ingress';

/** Name of the Ingress if another object has the usual, truncated name; undefined if the usual name is not truncated. */
export function spareIngressName(cluster: string): string | undefined {
  if (serviceNames.ingress(cluster).length === cluster.length + ENDING.length) return undefined;
  return `${cluster.slice(0, KEPT)}-${derivedSuffix(cluster)}${ENDING}`;
}

/**
 * The name of the cluster's Ingress. KubeRay truncates names of more than 37 characters at their beginning, so two clusters may get the
 * same name. An Ingress that this cluster controls keeps its name; if another object has the usual name, the cluster takes the spare name.
 */
function ingressName({ name, uid, children }: ClusterState): string {
  const usual = serviceNames.ingress(name);
  const spare = spareIngressName(name);
  if (spare === undefined) return usual;
  const named = (each: string) => children.ingresses.find(({ metadata }) => metadata?.name === each);
  const [first, second] = [named(usual), named(spare)];
  if (second !== undefined && isOwn(uid, second)) return spare;
  return first === undefined || isOwn(uid, first) ? usual : spare;
}
