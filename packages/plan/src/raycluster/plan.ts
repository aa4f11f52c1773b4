import { isManagedExternally, type RayClusterSpec, withRayClusterDefaults } from '@manta/api';
import { NOTHING, type Plan } from '../plan.ts';
import { checkRayCluster } from './check.ts';
import { planChildren } from './children.ts';
import { isHeldByUs, planDeletion, planFinalizer } from './deletion.ts';
import { gangBeforeNewPods } from './gang.ts';
import { askInMs } from './heads-to-ask.ts';
import { isNameOpen } from './object-name.ts';
import type { ObservedRayCluster } from './observed.ts';
import { planPods } from './pods.ts';
import { rejoinLookMs } from './rejoin.ts';
import { secureNewCluster } from './secure.ts';
import { type Subject, subjectOf } from './subject.ts';
import { suspendPhase } from './suspend.ts';

/** A plan, and the subject whose status is to be brought up to date once the plan has been carried out. */
export interface RayClusterPlan extends Plan {
  /** Absent: the status is left as it is. */
  readonly subject?: Subject;
}

/** What happens to a RayCluster, from top to bottom. */
export function planRayCluster(observed: ObservedRayCluster): RayClusterPlan {
  const cluster = withRayClusterDefaults(observed.cluster);
  // Who manages it may have changed; what we have put on it, nobody else takes off.
  if (isManagedExternally(cluster.spec) && !isHeldByUs(cluster)) return NOTHING;
  const subject = subjectOf(observed, cluster, cluster.spec ?? NO_SPEC);
  if (cluster.metadata?.deletionTimestamp !== undefined) return planDeletion(subject);
  const secured = secureNewCluster(subject);
  if (secured !== undefined) return secured;
  const verdict = checkRayCluster(subject);
  if (!verdict.isUsable) return { actions: verdict.actions };
  const children = planChildren(subject);
  const isWaiting = isNameOpen(subject, children);
  const pods = gangBeforeNewPods(subject, planPods(subject)).filter(({ type }) => !isWaiting || type !== 'create');
  // Pods need the other objects to come, not to go: what is wrong with those must not hold up a suspension.
  const isLeaving = suspendPhase(subject) === 'suspending' || subject.spec.suspend === true;
  const inOrder = isLeaving ? [...pods, ...children] : [...children, ...pods];
  return {
    actions: [...verdict.actions, ...planFinalizer(subject), ...inOrder],
    ...nextLook(subject, isWaiting),
    subject,
  };
}

/** A cluster may be written without a spec; it is told so like any other invalid one. */
const NO_SPEC: RayClusterSpec = { headGroupSpec: { template: {} } };

const NAME_LOOK_MS = 1000;

/** Even when nothing changes, a cluster is looked at now and then; the installation says how often, or never. */
function nextLook(subject: Subject, isWaiting: boolean): Pick<Plan, 'requeueAfterMs'> {
  const { rayClusterRequeueSeconds } = subject.context.env;
  const regular = rayClusterRequeueSeconds > 0 ? rayClusterRequeueSeconds * 1000 : Number.POSITIVE_INFINITY;
  const others = [rejoinLookMs(subject), askInMs(subject), isWaiting ? NAME_LOOK_MS : undefined].filter(
    (ms) => ms !== undefined,
  );
  const requeueAfterMs = Math.min(regular, ...others);
  return Number.isFinite(requeueAfterMs) ? { requeueAfterMs } : {};
}
