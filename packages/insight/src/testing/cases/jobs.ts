import type { RayJob, RayJobSpec, RayJobStatus } from '@manta/api';
import type { World } from '../../world.ts';
import { ago, event, NAMESPACE, pod, recorded, seen } from '../recorded-world.ts';
import { meta, type WhyCase } from './case.ts';

const rayJob = (status: RayJobStatus, spec: RayJobSpec = {}): RayJob => ({
  metadata: meta('demo'),
  spec: { entrypoint: 'python train.py', ...spec },
  status: { jobId: 'raysubmit_1', rayClusterName: 'demo-x', ...status },
});
const withJob = (status: RayJobStatus, parts: Partial<World> = {}, spec: RayJobSpec = {}): World =>
  recorded({ rayJobs: seen(rayJob(status, spec)), ...parts });
const failed = (message: string, ...lastLines: readonly string[]): World =>
  withJob(
    { jobStatus: 'FAILED', jobDeploymentStatus: 'Failed', reason: 'AppFailed', message },
    { ray: new Map([[`${NAMESPACE}/demo-x`, { jobs: { raysubmit_1: { status: 'FAILED', message, lastLines } } }]]) },
  );
const ended = (
  reason: NonNullable<RayJobStatus['reason']>,
  message: string,
  spec: RayJobSpec = {},
  parts: Partial<World> = {},
): World => withJob({ jobDeploymentStatus: 'Failed', reason, message }, parts, spec);
const owner = (kind: string, uid: string) => [{ apiVersion: 'v1', kind, name: 'demo', uid, controller: true }];

/** What a RayJob says. */
export const JOB_CASES: readonly WhyCase[] = (
  [
    {
      code: 'ClusterNotFound',
      title: 'a selector without a cluster',
      world: withJob(
        { jobDeploymentStatus: 'Initializing', rayClusterName: '' },
        {},
        { clusterSelector: { 'ray.io/cluster': 'shared' } },
      ),
      sentence: 'RayJob/demo is to run on RayCluster shared, which does not exist',
    },
    {
      code: 'DeadlineExceeded',
      title: 'activeDeadlineSeconds',
      world: ended('DeadlineExceeded', 'The RayJob has passed the activeDeadlineSeconds.', {
        activeDeadlineSeconds: 60,
      }),
      sentence: 'RayJob/demo ran longer than its 60 s and was ended',
    },
    {
      code: 'NotStartedInTime',
      title: 'preRunningDeadlineSeconds',
      world: ended('PreRunningDeadlineExceeded', 'The RayJob has passed the preRunningDeadlineSeconds.', {
        preRunningDeadlineSeconds: 30,
      }),
      sentence: 'RayJob/demo had not started after 30 s and was ended',
    },
    {
      code: 'RuntimeEnvFailed',
      title: 'a pip package that does not exist',
      world: failed(
        'runtime_env setup failed: Failed to set up runtime environment.',
        'ERROR: No matching distribution found for nosuchpackage',
      ),
      sentence: 'Ray cannot set up the runtime environment: ERROR: No matching distribution found for nosuchpackage',
    },
    {
      code: 'EntrypointNotFound',
      title: 'a script that does not exist',
      world: failed(
        'Job entrypoint command failed with exit code 2, last available logs:',
        "python: can't open file '/home/ray/train.py': [Errno 2] No such file or directory",
      ),
      sentence: 'the entrypoint names /home/ray/train.py, which does not exist on the head',
    },
    {
      code: 'MissingModule',
      title: 'a module that is not installed',
      world: failed('Job entrypoint command failed with exit code 1', "ModuleNotFoundError: No module named 'torch'"),
      sentence: 'the code imports torch, which is not installed',
    },
    {
      code: 'JobOutOfMemory',
      title: 'Ray kills a task',
      world: failed(
        'Job entrypoint command failed with exit code 1',
        'ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.',
      ),
      sentence: 'memory ran out while the job ran',
    },
    {
      code: 'EntrypointFailed',
      title: 'an exception',
      world: failed('Job entrypoint command failed with exit code 3, last available logs', 'ValueError: negative'),
      sentence: 'the entrypoint of RayJob/demo failed with exit code 3',
    },
    {
      code: 'JobStopped',
      title: 'a stopped job',
      world: withJob({ jobStatus: 'STOPPED', jobDeploymentStatus: 'Complete' }),
      sentence: 'RayJob/demo was stopped before its end',
    },
    {
      code: 'SubmitterFailed',
      title: 'a submitter that fails',
      world: ended('SubmissionFailed', 'Job submission has failed. Reason: BackoffLimitExceeded'),
      sentence:
        'the submitter of RayJob/demo could not hand the job to Ray: Job submission has failed. Reason: BackoffLimitExceeded',
    },
    {
      code: 'MissingSecret',
      title: 'a submitter pod without its Secret',
      world: withJob(
        { jobDeploymentStatus: 'Running' },
        {
          jobs: seen({ metadata: { ...meta('demo', 'uid-sub'), ownerReferences: owner('RayJob', 'uid-demo') } }),
          pods: seen(
            pod('demo-s', {
              metadata: { ownerReferences: owner('Job', 'uid-sub'), labels: {} },
              status: {
                phase: 'Pending',
                containerStatuses: [
                  {
                    name: 'submitter',
                    image: '',
                    imageID: '',
                    ready: false,
                    restartCount: 0,
                    state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "token" not found' } },
                  },
                ],
              },
            }),
          ),
        },
      ),
      sentence: 'Pod/demo-s needs Secret token, which does not exist',
    },
    {
      code: 'QuotaExceeded',
      title: 'a cluster that the quota does not allow',
      world: withJob(
        { jobDeploymentStatus: 'Initializing', rayClusterName: '' },
        {
          events: seen(
            event(
              'RayJob',
              'demo',
              'FailedToCreateRayCluster',
              'Failed to create RayCluster, exceeded quota: objects, requested: count/rayclusters.ray.io=1, used: count/rayclusters.ray.io=2, limited: count/rayclusters.ray.io=2',
            ),
          ),
        },
      ),
      sentence:
        'ResourceQuota objects has no room for the pods of RayJob/demo: requested count/rayclusters.ray.io=1, used count/rayclusters.ray.io=2, limit count/rayclusters.ray.io=2',
    },
    {
      code: 'HeadLost',
      title: 'a lost head',
      world: withJob({ jobDeploymentStatus: 'Failed', message: 'The head pod that ran the job was lost' }),
      sentence: 'RayJob/demo lost its head: The head pod that ran the job was lost',
    },
    {
      code: 'DashboardUnreachable',
      title: 'a dashboard that is silent',
      world: withJob({ jobDeploymentStatus: 'Running', jobStatusCheckFailureStartTime: ago(45) }),
      sentence: 'the operator has not reached the Ray dashboard of RayJob/demo for 45 s',
    },
    {
      code: 'JobFailed',
      title: 'a failure without a reason',
      world: withJob({ jobDeploymentStatus: 'Failed' }),
      sentence: 'RayJob/demo failed: the status does not say why',
    },
    {
      code: 'JobStarting',
      title: 'a job that starts',
      world: withJob({ jobDeploymentStatus: 'Initializing' }),
      sentence: 'RayJob/demo is initializing, and nothing is known to block it',
    },
    {
      code: 'WaitingForUser',
      title: 'InteractiveMode',
      world: withJob({ jobDeploymentStatus: 'Waiting' }, {}, { submissionMode: 'InteractiveMode' }),
      sentence: 'RayJob/demo waits until a user submits the job (submissionMode: InteractiveMode)',
    },
    {
      code: 'JobWaitingForResources',
      title: 'an entrypoint that asks for a GPU',
      world: withJob({
        jobDeploymentStatus: 'Running',
        jobStatus: 'PENDING',
        message:
          'Job has not started yet. It may be waiting for resources (CPUs, GPUs, memory, custom resources) to become available.',
      }),
      sentence:
        'Ray has not started the entrypoint of RayJob/demo: Job has not started yet. It may be waiting for resources (CPUs, GPUs, memory, custom resources) to become available',
    },
    {
      code: 'InvalidSpec',
      title: 'a spec that the operator refuses',
      world: withJob({
        jobDeploymentStatus: 'ValidationFailed',
        message: 'The RayJob spec is invalid: backoffLimit must not be negative',
      }),
      sentence: 'the operator refuses RayJob/demo: backoffLimit must not be negative',
    },
  ] as const
).map((row) => ({ ...row, kind: 'RayJob' }));
