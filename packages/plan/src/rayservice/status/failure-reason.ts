import { ApplicationStatus, type RayServiceStatus } from '@manta/api';
import type { ServiceCluster } from '../observed.ts';

const FAILED: readonly string[] = [ApplicationStatus.DeployFailed, ApplicationStatus.Unhealthy];

/** Where trouble may come from. */
export interface FailureSources {
  readonly active: RayServiceStatus;
  readonly pending: RayServiceStatus;
  /** What is wrong with the wanted configuration, in a sentence. */
  readonly configProblem: string | undefined;
  /** What keeps pods of the clusters from running, in a sentence. */
  readonly podFailure: string | undefined;
}

/** What keeps a service from serving, in the words of whoever knows best; undefined when nothing is known to be wrong. */
export function failureReason({ active, pending, configProblem, podFailure }: FailureSources): string | undefined {
  return configProblem ?? failingApplication(active) ?? failingApplication(pending) ?? podFailure;
}

/** What keeps a pod of the cluster from running; the head's trouble comes first, since everything waits for it. */
export function podFailureOf(view: ServiceCluster | undefined): string | undefined {
  const troubled = (view?.pods ?? []).filter(({ trouble, isTerminating }) => trouble !== undefined && !isTerminating);
  const pod = troubled.find(({ head }) => head !== undefined) ?? troubled[0];
  return pod === undefined ? undefined : `Pod ${pod.name}: ${pod.trouble}`;
}

function failingApplication({ applicationStatuses = {} }: RayServiceStatus): string | undefined {
  const failing = Object.entries(applicationStatuses).find(([, { status = '' }]) => FAILED.includes(status));
  if (failing === undefined) return undefined;
  const [name, { status, message = '', serveDeploymentStatuses = {} }] = failing;
  const words = [message, ...Object.values(serveDeploymentStatuses).map((deployment) => deployment.message ?? '')];
  const why = words.find((each) => each !== '');
  return `application ${name} is ${status}${why === undefined ? '' : `: ${why}`}`;
}
