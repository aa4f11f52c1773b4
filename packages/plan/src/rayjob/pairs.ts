import { JobDeploymentStatus as Deployment, type RayJobStatus, RayJobState as State } from '@manta/api';

const ANY = [State.New, State.Pending, State.Running, State.Stopped, State.Succeeded, State.Failed] as const;
const UNKNOWN_TO_RAY = [State.New] as const;

/**
 * What Ray may have said of a job in each of its stages. Where a stage follows from what Ray said, nothing else will do; a job that has
 * failed may have been cut off at any point, but never after Ray told of its success or of a stop.
 */
export const ALLOWED_PAIRS: Readonly<Record<Deployment, readonly State[]>> = {
  [Deployment.New]: UNKNOWN_TO_RAY,
  [Deployment.Initializing]: UNKNOWN_TO_RAY,
  [Deployment.Waiting]: UNKNOWN_TO_RAY,
  [Deployment.Running]: ANY,
  [Deployment.Complete]: [State.Succeeded, State.Stopped],
  [Deployment.Failed]: [State.New, State.Pending, State.Running, State.Failed],
  [Deployment.Retrying]: [State.New, State.Pending, State.Running, State.Failed],
  [Deployment.Suspending]: ANY,
  [Deployment.Suspended]: UNKNOWN_TO_RAY,
  // An edit may make any job invalid, at any point.
  [Deployment.ValidationFailed]: ANY,
};

/** Whether the two statuses of a job go together. A status that only a newer Ray knows goes with a job that runs. */
export function isAllowedPair({ jobDeploymentStatus = '', jobStatus = '' }: RayJobStatus): boolean {
  const isKnown = ANY.some((state) => state === jobStatus);
  return isKnown ? ALLOWED_PAIRS[jobDeploymentStatus].includes(jobStatus) : ALLOWED_PAIRS[jobDeploymentStatus] === ANY;
}

/** Whether Ray will say nothing else about the job any more. */
export function isTerminalState(state: string | undefined): boolean {
  return state === State.Succeeded || state === State.Failed || state === State.Stopped;
}

/** Whether the job has ended for good. */
export function hasEnded({ jobDeploymentStatus }: RayJobStatus): boolean {
  return jobDeploymentStatus === Deployment.Complete || jobDeploymentStatus === Deployment.Failed;
}
