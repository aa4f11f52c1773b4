import { type AppStatus, DEFAULT_SERVE_APP } from '@manta/api';
import type { ServeAnswer, Submission } from '@manta/plan';
import type { Answer, CommandResult, RayCallError, ServeApplication, ServeDetails } from '@manta/ray';

const HELP =
  'fail to create / update Serve applications. If you observe this error consistently, please check "Issue 5: Fail to create / update Serve applications." in https://docs.ray.io/en/master/cluster/kubernetes/troubleshooting/rayservice-troubleshooting.html#kuberay-raysvc-troubleshoot for more details. err:';

/** Serve's last answer in the planner's types. */
export function serveAnswer(answer: Answer<ServeDetails>): ServeAnswer {
  switch (answer.kind) {
    case 'unknown':
      return { kind: 'unknown' };
    case 'failing':
      return { kind: 'failing', message: answer.error.message };
    case 'known': {
      const { applications, targetCapacity: capacity } = answer.value;
      return {
        kind: 'known',
        at: answer.at,
        applications: Object.fromEntries(
          Object.entries(applications).map(([name, application]) => [name || DEFAULT_SERVE_APP, statusOf(application)]),
        ),
        servingReplicas: new Map(
          Object.entries(applications).map(([name, application]) => [
            name || DEFAULT_SERVE_APP,
            servingReplicas(application),
          ]),
        ),
        config: deployedConfig(Object.values(applications)),
        capacity,
      };
    }
  }
}

/** The results of PUTs to heads. */
export function submissionsOf(results: readonly CommandResult[]): readonly Submission[] {
  return results.map((result) => {
    const { id } = result;
    switch (result.state) {
      case 'running':
        return { id, state: 'running' };
      case 'done':
        return { id, state: 'done', at: result.at };
      case 'failed':
        return { id, state: 'failed', at: result.at, message: refusal(result.error) };
    }
  });
}

/** KubeRay's error text, which leads users to the documentation. */
function refusal({ message }: RayCallError): string {
  return `${HELP} ${message}`;
}

function statusOf({ status, message, deployments }: ServeApplication): AppStatus {
  const each = Object.entries(deployments).map(([name, deployment]) => [
    name,
    { status: deployment.status, ...(deployment.message === '' ? {} : { message: deployment.message }) },
  ]);
  return {
    status,
    ...(message === '' ? {} : { message }),
    ...(each.length === 0 ? {} : { serveDeploymentStatuses: Object.fromEntries(each) }),
  };
}

/** Replicas of all deployments of an application that take requests. */
function servingReplicas({ deployments }: ServeApplication): number {
  return Object.values(deployments).reduce((sum, deployment) => sum + (deployment.servingReplicas ?? 0), 0);
}

/** The deployed configuration, if Serve reports it for every application. */
function deployedConfig(applications: readonly ServeApplication[]): Readonly<Record<string, unknown>> | undefined {
  const configs = applications.map(({ deployedConfig: config }) => config);
  return configs.length > 0 && configs.every((config) => config !== undefined) ? { applications: configs } : undefined;
}
