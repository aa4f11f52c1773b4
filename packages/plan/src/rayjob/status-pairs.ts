import { JobDeploymentStatus as Deployment, type RayJobStatus, RayJobState as State } from '@manta/api';

const ANY = [State.New, State.Pending, State.Running, State.Stopped, State.Succeeded, State.Failed] as const;
const UNKNOWN_TO_RAY = [State.New] as const;

/**
 * The values of `jobStatus` (Ray's view) that each `jobDeploymentStatus` (the operator's view) allows. A failed job may have been cut off at
 * any point, but never after Ray reported success or a stop.
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

/** Whether the two statuses of a job are consistent. A `jobStatus` of a newer Ray is consistent wherever any value is. */
export function isAllowedPair({ jobDeploymentStatus = '', jobStatus = '' }: RayJobStatus): boolean {
  const isKnown = ANY.some((state) => state === jobStatus);
  return isKnown ? ALLOWED_PAIRS[jobDeploymentStatus].includes(jobStatus) : ALLOWED_PAIRS[jobDeploymentStatus] === ANY;
}

/** Whether `jobStatus` is final: Ray will not change it. */
export function isTerminalState(state: string | undefined): boolean {
  return state === State.Succeeded || state === State.Failed || state === State.Stopped;
}

/** Whether the job has ended, without a retry to come. */
export function hasEnded({ jobDeploymentStatus }: RayJobStatus): boolean {
  return jobDeploymentStatus === Deployment.Complete || jobDeploymentStatus === Deployment.Failed;
}
