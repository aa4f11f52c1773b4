import { type Container, ContainerName, EnvName, EnvValue, type Parsed, parsed, type RayClusterSpec } from '@manta/api';
import { withAuth } from './auth.ts';
import { appendEnv } from './container-env.ts';
import type { BuildContext } from './context.ts';
import { rayContainerOf } from './pod-draft.ts';
import { bash } from './shell.ts';
import { type SubmitInput, submitCommand } from './submitter-command.ts';

/** The cluster that a job is submitted to. */
export interface TargetCluster {
  readonly name: string;
  readonly spec: RayClusterSpec;
}

const LIMITS = { cpu: '1', memory: '1Gi' };
const REQUESTS = { cpu: '500m', memory: '200Mi' };
/** Zeros, since absent requests default to the limits. */
const NO_REQUESTS = { cpu: '0', memory: '0' };

/** The default submitter container. It uses the head's image, which has `ray`. */
export function defaultSubmitter({ spec }: TargetCluster, { env }: Pick<BuildContext, 'env'>): Container {
  const { image } = rayContainerOf(spec.headGroupSpec?.template?.spec ?? { containers: [] });
  return {
    name: ContainerName.Submitter,
    ...(image === undefined ? {} : { image }),
    resources: { limits: LIMITS, requests: env.submitterRequests ? REQUESTS : NO_REQUESTS },
  };
}

/** Replaces a container's command and arguments by the generated command. */
export function withSubmitCommand(container: Container, input: SubmitInput, context: BuildContext): Parsed<Container> {
  const command = submitCommand(input, context);
  return command.ok ? parsed({ ...container, command: bash(context, 'e'), args: [command.value] }) : command;
}

/** Variables of every submitter, including those with a user's template. */
export function withSubmitterEnv(container: Container, input: SubmitInput, cluster: TargetCluster): Container {
  const informed = appendEnv(container, [
    { name: EnvName.PythonUnbuffered, value: EnvValue.PythonUnbuffered },
    { name: EnvName.DashboardAddress, value: input.dashboardUrl },
    { name: EnvName.JobSubmissionId, value: input.jobId },
  ]);
  return withAuth(informed, cluster.spec, cluster.name);
}
