import { isManagedExternally, withRayClusterDefaults } from '@manta/api';
import { NOTHING, type Plan } from '../plan.ts';
import { checkRayCluster } from './check.ts';
import { planChildren } from './children.ts';
import { planDeletion, planFinalizer } from './deletion.ts';
import type { ObservedRayCluster } from './observed.ts';
import { planPods } from './pods.ts';
import { type Subject, subjectOf } from './subject.ts';

/** A plan, and the subject whose status is to be brought up to date once the plan has been carried out. */
export interface RayClusterPlan extends Plan {
  /** Absent: the status is left as it is. */
  readonly subject?: Subject;
}

/** What happens to a RayCluster, from top to bottom. */
export function planRayCluster(observed: ObservedRayCluster): RayClusterPlan {
  const { spec: asWritten, metadata } = observed.cluster;
  if (asWritten === undefined || isManagedExternally(asWritten)) return NOTHING;
  const cluster = withRayClusterDefaults(observed.cluster);
  const spec = cluster.spec ?? asWritten;
  const subject = subjectOf(observed, cluster, spec);
  const verdict = checkRayCluster(subject);
  if (metadata?.deletionTimestamp !== undefined) return planDeletion(subject, verdict.isUsable ? spec : undefined);
  if (!verdict.isUsable) return { actions: verdict.actions };
  return {
    actions: [...verdict.actions, ...planFinalizer(subject), ...planChildren(subject), ...planPods(subject)],
    ...nextLook(subject),
    subject,
  };
}

/** Even when nothing changes, a cluster is looked at now and then; the installation says how often, or never. */
function nextLook({ context }: Subject): Pick<Plan, 'lookAgainMs'> {
  const { rayClusterRequeueSeconds } = context.env;
  return rayClusterRequeueSeconds > 0 ? { lookAgainMs: rayClusterRequeueSeconds * 1000 } : {};
}
