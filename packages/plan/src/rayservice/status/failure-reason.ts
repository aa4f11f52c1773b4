import { ApplicationStatus, type RayServiceStatus } from '@manta/api';
import { lastWords } from '../../shared/last-words.ts';
import { firstTroubled, troubleInWords } from '../../shared/pod-trouble.ts';
import type { ServiceCluster } from '../observed.ts';

const FAILED: readonly string[] = [ApplicationStatus.DeployFailed, ApplicationStatus.Unhealthy];

/** Where the reason of a failure is looked for. */
export interface FailureSources {
  readonly active: RayServiceStatus;
  readonly pending: RayServiceStatus;
  /** What is wrong with the desired Serve configuration, in a sentence. */
  readonly configProblem: string | undefined;
  /** What keeps a pod of the clusters from running, in a sentence. */
  readonly podFailure: string | undefined;
}

/** Why a service does not serve: the first source that knows a reason; undefined when no source reports a problem. */
export function failureReason({ active, pending, configProblem, podFailure }: FailureSources): string | undefined {
  return configProblem ?? failingApplication(active) ?? failingApplication(pending) ?? podFailure;
}

/** Why a pod of the cluster does not run. The head pod comes first: workers wait for it. */
export function podFailureOf(view: ServiceCluster | undefined): string | undefined {
  const pod = firstTroubled(view?.pods ?? []);
  return pod === undefined ? undefined : `Pod ${pod.name}: ${troubleInWords(pod, view?.cluster)}`;
}

/** A Serve application that fails, with the line of Serve's message that says why. */
export interface FailingApplication {
  readonly name: string;
  readonly status: string;
  readonly sentence: string;
}

/** The first application that Serve reports as failing. */
export function firstFailingApplication({
  applicationStatuses = {},
}: RayServiceStatus): FailingApplication | undefined {
  const failing = Object.entries(applicationStatuses).find(([, { status = '' }]) => FAILED.includes(status));
  if (failing === undefined) return undefined;
  const [name, { status = '', message = '', serveDeploymentStatuses = {} }] = failing;
  const messages = [message, ...Object.values(serveDeploymentStatuses).map((deployment) => deployment.message ?? '')];
  const why = messages.find((each) => each !== '');
  return {
    name,
    status,
    sentence: `application ${name} is ${status}${why === undefined ? '' : `: ${lastWords(why)}`}`,
  };
}

function failingApplication(status: RayServiceStatus): string | undefined {
  return firstFailingApplication(status)?.sentence;
}
