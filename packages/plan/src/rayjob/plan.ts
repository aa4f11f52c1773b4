import { isManagedExternally, JobDeploymentStatus, type RayJobStatus } from '@manta/api';
import { NOTHING, type Plan } from '../plan.ts';
import { begin } from './begin.ts';
import { refusal } from './check.ts';
import { rest, takeDown } from './cleanup.ts';
import { letGo } from './deletion.ts';
import { tidyUp } from './ended.ts';
import { keepGang } from './gang.ts';
import { initialize } from './initializing.ts';
import type { ObservedRayJob } from './observed.ts';
import { goOn } from './repair.ts';
import { follow } from './running.ts';
import { accounted, statusToWrite } from './status.ts';
import { type Step, stay } from './step.ts';
import { deleteStrays } from './strays.ts';
import { type Subject, subjectOf } from './subject.ts';
import { waitForUser } from './waiting.ts';

/** A plan, and the status that is to be written once it has been carried out. */
export interface RayJobPlan extends Plan {
  /** Absent: the status is left as it is. */
  readonly status?: RayJobStatus;
  /** The spec was refused and is in order again. */
  readonly isRepaired?: boolean;
  /** Once this plan has been carried out, whoever did it knows that the attempt has no cluster yet, and that there was none. */
  readonly isBeginning?: boolean;
}

/** What happens to a RayJob, from top to bottom. */
export function planRayJob(observed: ObservedRayJob): RayJobPlan {
  const subject = subjectOf(observed);
  if (isManagedExternally(observed.job.spec)) return NOTHING;
  if (observed.job.metadata?.deletionTimestamp !== undefined) return planned(subject, letGo(subject));
  const refused = refusal(subject);
  if (refused !== undefined) return planned(subject, refused);
  const step = advance(subject);
  const actions = [...deleteStrays(subject), ...step.actions];
  const status = step.status === undefined ? {} : { status: accounted(subject, step.status) };
  return planned(subject, { ...step, actions, ...status });
}

/** One stage, one decision. */
function advance(subject: Subject): Step {
  switch (subject.status.jobDeploymentStatus ?? JobDeploymentStatus.New) {
    case JobDeploymentStatus.New:
      return begin(subject);
    case JobDeploymentStatus.Initializing:
      return initialize(subject);
    case JobDeploymentStatus.Waiting:
      return keepGang(subject, waitForUser(subject));
    case JobDeploymentStatus.Running:
      return keepGang(subject, follow(subject));
    case JobDeploymentStatus.Suspending:
    case JobDeploymentStatus.Retrying:
      return takeDown(subject);
    case JobDeploymentStatus.Suspended:
      return rest(subject);
    case JobDeploymentStatus.Complete:
    case JobDeploymentStatus.Failed:
      return tidyUp(subject);
    case JobDeploymentStatus.ValidationFailed:
      return goOn(subject);
    default:
      // A stage of a newer version; nobody but that version knows what it means.
      return stay();
  }
}

function planned(subject: Subject, { actions, status, requeueAfterMs, isBeginning }: Step): RayJobPlan {
  const written = status === undefined ? undefined : statusToWrite(subject.status, status, subject.now);
  const isRepaired =
    subject.status.jobDeploymentStatus === JobDeploymentStatus.ValidationFailed &&
    (status === undefined || status.jobDeploymentStatus !== JobDeploymentStatus.ValidationFailed);
  return {
    actions,
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
    ...(written === undefined ? {} : { status: written }),
    ...(isRepaired ? { isRepaired } : {}),
    ...(isBeginning === true ? { isBeginning } : {}),
  };
}
