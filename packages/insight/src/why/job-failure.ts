import { JobFailedReason, type RayJob, type RayJobStatus } from '@manta/api';
import { pipFailure } from '@manta/plan';
import { refText } from '../lookup.ts';
import type { RayRef, World } from '../world.ts';
import { brief, type Cause } from './cause.ts';
import type { CauseCode } from './codes.ts';

interface FailureKind {
  readonly code: CauseCode;
  readonly pattern: RegExp;
  readonly says: (words: string, match: RegExpExecArray) => string;
  readonly action: string;
}

/** How the output and Ray's message tell what went wrong, the specific before the general. */
const KINDS: readonly FailureKind[] = [
  {
    code: 'RuntimeEnvFailed',
    pattern:
      /runtime_env.*(setup|failed|error)|Failed to (set ?up|install).*(runtime env|pip)|RuntimeEnvSetupError|ERROR: (Could not find a version|No matching distribution).*/i,
    says: (words, match) =>
      pipFailure(words) ??
      `Ray cannot set up the runtime environment: ${/ERROR: .*/.exec(words)?.[0] ?? brief(match[0])}`,
    action: 'Correct runtimeEnvYAML: the package names and versions, and whether the pods may reach the package index.',
  },
  {
    code: 'JobOutOfMemory',
    pattern: /OutOfMemoryError|killed due to the node running low on memory|OOM|MemoryError/,
    says: () => 'memory ran out while the job ran',
    action: 'Give the pods more memory, or make the job use less, e.g. smaller batches or fewer tasks at once.',
  },
  {
    code: 'EntrypointNotFound',
    pattern:
      /can't open file '([^']+)'|([^\s:]+): (?:command )?not found|No such file or directory: '([^']+)'|sh: (?:\d+: )?([^:]+): not found/,
    says: (_, match) =>
      `the entrypoint names ${match.slice(1).find((part) => part !== undefined)}, which does not exist on the head`,
    action: 'Correct spec.entrypoint, or put the file into the image or the working_dir of runtimeEnvYAML.',
  },
  {
    code: 'MissingModule',
    pattern: /ModuleNotFoundError: No module named '([^']+)'|ImportError: (.*)/,
    says: (_, match) => `the code imports ${match[1] ?? brief(match[2])}, which is not installed`,
    action: 'Add the package to pip in runtimeEnvYAML, or to the image.',
  },
];

/** Why Ray ended a job as FAILED. */
export function applicationFailure(ref: RayRef, status: RayJobStatus, world: World): Cause {
  const answer = world.ray.get(`${ref.namespace}/${status.rayClusterName}`)?.jobs?.[status.jobId ?? ''];
  const output = answer?.lastLines ?? [];
  const message = status.message ?? answer?.message ?? '';
  const words = `${output.join('\n')}\n${message}`;
  const evidence = [{ object: ref, source: 'status.message', text: brief(message) || `jobStatus ${status.jobStatus}` }];
  const lines =
    output.length > 0
      ? output.slice(-12)
      : message
          .split('\n')
          .filter((line) => line.trim() !== '')
          .slice(-12);
  for (const { code, pattern, says, action } of KINDS) {
    const match = pattern.exec(words);
    if (match !== null) return { code, object: ref, sentence: says(words, match), evidence, lines, action };
  }
  const code = answer?.driverExitCode ?? /exit code (\d+)/.exec(message)?.[1];
  return {
    code: 'EntrypointFailed',
    object: ref,
    sentence: `the entrypoint of ${refText(ref)} failed${code === undefined ? '' : ` with exit code ${code}`}`,
    evidence,
    lines,
    action: 'Read its last lines, correct the code, and create the RayJob again.',
  };
}

/** Why the operator ended a job as Failed, by `status.reason`. */
export function jobFailure(ref: RayRef, { spec, status = {} }: RayJob, world: World): Cause {
  const message = brief(status.message);
  const evidence = [
    { object: ref, source: 'status.reason', text: `${status.reason ?? ''}${message === '' ? '' : `: ${message}`}` },
  ];
  const found = (code: CauseCode, sentence: string, action: string): Cause => ({
    code,
    object: ref,
    sentence,
    evidence,
    action,
  });
  const tries = status.failed !== undefined && status.failed > 1 ? ` after ${status.failed} attempts` : '';
  const name = `${refText(ref)}${tries}`;
  switch (status.reason) {
    case JobFailedReason.AppFailed:
      return applicationFailure(ref, status, world);
    case JobFailedReason.DeadlineExceeded:
      return found(
        'DeadlineExceeded',
        `${name} ran longer than its ${spec?.activeDeadlineSeconds ?? ''} s and was ended`,
        'Raise spec.activeDeadlineSeconds, or find out what slowed the job down.',
      );
    case JobFailedReason.PreRunningDeadlineExceeded:
      return found(
        'NotStartedInTime',
        `${name} had not started after ${spec?.preRunningDeadlineSeconds ?? ''} s and was ended`,
        'Find out what its cluster lacked (events, quota, nodes), or raise spec.preRunningDeadlineSeconds.',
      );
    case JobFailedReason.SubmissionFailed:
      return found(
        'SubmitterFailed',
        `the submitter of ${name} could not hand the job to Ray: ${message}`,
        'Read the output of the submitter pod; the entrypoint itself did not run.',
      );
    case JobFailedReason.JobStatusCheckTimeoutExceeded:
      return found(
        'DashboardUnreachable',
        `the dashboard of ${name} stopped answering: ${message}`,
        'Look at the head pod: it may have been lost or be out of memory. GCS fault tolerance lets a job outlive its head.',
      );
    case JobFailedReason.ValidationFailed:
      return found(
        'InvalidSpec',
        `the operator refuses ${name}: ${message}`,
        'Correct the field that the message names and create the RayJob again.',
      );
    default:
      if (/head/i.test(message) && /lost|gone|replaced|no longer|restarted/i.test(message))
        return found(
          'HeadLost',
          `${name} lost its head: ${message}`,
          'Set spec.backoffLimit to retry, or turn on GCS fault tolerance.',
        );
      return found(
        'JobFailed',
        `${name} failed: ${message || 'the status does not say why'}`,
        'Read the events of the RayJob: kubectl ray events.',
      );
  }
}
