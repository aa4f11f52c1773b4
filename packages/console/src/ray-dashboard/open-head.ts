import { isForbidden } from '@manta/kube';
import type { ViewerSession } from '../identity/sessions.ts';
import { clusterOf, type DashboardTarget, type FoundHead, HeadNotFound, type Heads } from './find-head.ts';
import type { DashboardVerb, ViewerRights } from './viewer-rights.ts';

export type HeadAccess =
  | { readonly isAllowed: true; readonly head: FoundHead }
  | { readonly isAllowed: false; readonly status: 403 | 404 | 502; readonly why: string };

/** The head of a target's cluster if the viewer has the verb on that cluster; nothing about the head is looked up before. */
export async function openHead(
  { heads, rights }: { readonly heads: Heads; readonly rights: ViewerRights },
  target: DashboardTarget,
  viewer: ViewerSession,
  verb: DashboardVerb,
): Promise<HeadAccess> {
  const { namespace } = target;
  try {
    const cluster = await clusterOf(viewer.access.client, target);
    if (!(await rights.may(viewer, verb, namespace, cluster)))
      return {
        isAllowed: false,
        status: 403,
        why: `you may not do this with RayCluster ${namespace}/${cluster}. Ask for the verb "${verb}" on rayclusters.ray.io.`,
      };
    return { isAllowed: true, head: await heads.find(namespace, cluster) };
  } catch (error) {
    if (error instanceof HeadNotFound) return { isAllowed: false, status: 404, why: error.message };
    if (isForbidden(error))
      return {
        isAllowed: false,
        status: 403,
        why: error instanceof Error ? error.message : 'the API server refuses it',
      };
    throw error;
  }
}
