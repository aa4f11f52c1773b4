import { serviceNames } from '@manta/api';
import { isOwn } from '../ownership.ts';
import { derivedSuffix } from './pod-names.ts';
import type { Subject } from './subject.ts';

/** So much of a cluster's name is left beside the suffix and the ending: names have at most 50 characters. */
const KEPT = 31;
const ENDING = '-head-ingress';

/** What a cluster calls its Ingress where another object has the usual name, which is cut; undefined where the name is not cut. */
export function spareIngressName(cluster: string): string | undefined {
  if (serviceNames.ingress(cluster).length === cluster.length + ENDING.length) return undefined;
  return `${cluster.slice(0, KEPT)}-${derivedSuffix(cluster)}${ENDING}`;
}

/**
 * The name of the cluster's Ingress. KubeRay cuts names of more than 37 characters at their beginning, so that two clusters may come to the
 * same. An Ingress that this cluster controls keeps its name; where another object has the usual name, the cluster takes the spare one.
 */
export function ingressName({ name, uid, children }: Subject): string {
  const usual = serviceNames.ingress(name);
  const spare = spareIngressName(name);
  if (spare === undefined) return usual;
  const named = (each: string) => children.ingresses.find(({ metadata }) => metadata?.name === each);
  const [first, second] = [named(usual), named(spare)];
  if (second !== undefined && isOwn(uid, second)) return spare;
  return first === undefined || isOwn(uid, first) ? usual : spare;
}
