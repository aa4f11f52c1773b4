import { ApplicationStatus, type RayServiceStatus } from '@manta/api';

const FAILED: readonly string[] = [ApplicationStatus.DeployFailed, ApplicationStatus.Unhealthy];

/** What keeps a service from serving, in the words of whoever knows best; undefined when nothing is known to be wrong. */
export function troubleOf({
  active,
  pending,
  complaint,
}: {
  readonly active: RayServiceStatus;
  readonly pending: RayServiceStatus;
  readonly complaint: string | undefined;
}): string | undefined {
  return complaint ?? failingApplication(active) ?? failingApplication(pending);
}

function failingApplication({ applicationStatuses = {} }: RayServiceStatus): string | undefined {
  const failing = Object.entries(applicationStatuses).find(([, { status = '' }]) => FAILED.includes(status));
  if (failing === undefined) return undefined;
  const [name, { status, message = '', serveDeploymentStatuses = {} }] = failing;
  const words = [message, ...Object.values(serveDeploymentStatuses).map((deployment) => deployment.message ?? '')];
  const why = words.find((each) => each !== '');
  return `application ${name} is ${status}${why === undefined ? '' : `: ${why}`}`;
}
