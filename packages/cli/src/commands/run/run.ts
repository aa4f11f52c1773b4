import { randomInt } from 'node:crypto';
import type { RayJob } from '@manta/api';
import { resources } from '@manta/kube';
import { CliError, failedTo, messageOf, usageError } from '../../cli-error.ts';
import { checkQuantity } from '../../build/check-config.ts';
import { FIELD_MANAGER } from '../../field-manager.ts';
import type { Invocation } from '../../invocation.ts';
import { toYaml } from '../../output/print-objects.ts';
import { type Package, packDirectory, sizeText } from '../../pack/pack-directory.ts';
import { readRequirements } from '../../pack/read-requirements.ts';
import { explainRead } from '../../resolve-target.ts';
import { connectToHead, type HeadAccess, type HeadConnection, readHeadAccess } from '../connect-to-head.ts';
import { followRayJob } from '../follow-rayjob.ts';
import { commandLine, newSubmissionId } from '../job-submission.ts';
import { untilHeadAnswers } from '../run-on-head.ts';
import { openProgressLine, type ProgressLine } from '../../live/progress-line.ts';
import { waitForObject } from '../wait-for-object.ts';
import { type RunPlan, rayJobOf, runtimeEnvOf } from './run-job.ts';
import { chooseDelivery, createPackageSecret, describePackage, jobNameFor } from './run-package.ts';
import type { RunFlags } from './run-flags.ts';

/**
 * `run [DIR] -- CMD…`: packs a directory, runs a command in it as a RayJob and prints its output; the exit code is the job's outcome.
 * Ctrl-C leaves the job running and prints how to come back.
 */
export async function run(call: Invocation, dir: string, command: readonly string[], flags: RunFlags): Promise<void> {
  checkFlags(flags);
  const access = await readHeadAccess(flags);
  const namespace = await call.namespace();
  const runtimeEnv = await runtimeEnvFromFlags(flags);
  const packed = await packDirectory(dir);
  if (packed.fileCount === 0) throw usageError(`${dir} holds no file to run. Name another directory before --.`);
  describePackage(call, dir, packed);
  const delivery = await chooseDelivery(call, namespace, packed, flags);
  const plan: RunPlan = {
    namespace,
    name: flags.name ?? jobNameFor(dir, randomInt),
    jobId: newSubmissionId(),
    entrypoint: commandLine(command),
    flags,
    delivery,
    packageUri: packed.uri,
    runtimeEnv,
  };
  if (flags.dryRun === true) {
    call.print(toYaml(rayJobOf(plan)));
    return;
  }
  await start(call, plan, packed, access);
  if (flags.detach === true) {
    call.print(`rayjob/${plan.name} runs. ${comeBack(plan)}`);
    return;
  }
  try {
    await followRayJob(call, { namespace, name: plan.name, access });
  } catch (error) {
    if (call.world.signal.aborted) call.say(`\nDetached: rayjob/${plan.name} keeps running. ${comeBack(plan)}`);
    throw error;
  }
}

function comeBack({ name, namespace }: RunPlan): string {
  return `To see its output: kubectl ray job logs ${name} -f -n ${namespace}. To stop it: kubectl ray job stop ${name} -n ${namespace}`;
}

function checkFlags(flags: RunFlags): void {
  if (flags.retries < 0) throw usageError('--retries must not be negative');
  if (flags.workers !== undefined && flags.workers < 0) throw usageError('--workers must not be negative');
  if (flags.ttl < 0) throw usageError('--ttl must not be negative');
  for (const [flag, value] of [
    ['gpus', flags.gpus],
    ['head-cpu', flags.headCpu],
    ['head-memory', flags.headMemory],
    ['worker-cpu', flags.workerCpu],
    ['worker-memory', flags.workerMemory],
  ] as const)
    checkQuantity(value, flag);
}

async function runtimeEnvFromFlags({ env, pip }: RunFlags): Promise<Readonly<Record<string, unknown>>> {
  return {
    ...(env !== undefined && { env_vars: env }),
    ...(pip !== undefined && { pip: (await Promise.all(pip.map(readRequirements))).flat() }),
  };
}

/** Creates the RayJob and brings its package to Ray, in the order that the delivery needs. Nothing is left behind by a failure. */
async function start(call: Invocation, plan: RunPlan, packed: Package, access: HeadAccess): Promise<void> {
  if (plan.flags.on !== undefined) await uploadTo(call, plan, plan.flags.on, packed, access);
  const job = await createJob(call, plan);
  call.say(`Created rayjob/${plan.name} in namespace ${plan.namespace}`);
  if (plan.flags.on !== undefined) return;
  try {
    if (plan.delivery === 'secret') await createPackageSecret(call, job, packed);
    else await submitWhenReady(call, plan, packed, access);
  } catch (error) {
    if (call.world.signal.aborted)
      call.say(
        `\nrayjob/${plan.name} is left without a package. To delete it: kubectl ray delete rayjob/${plan.name} -n ${plan.namespace}`,
      );
    else await removeJob(call, plan);
    throw error;
  }
}

async function createJob(call: Invocation, plan: RunPlan): Promise<RayJob> {
  const client = await call.client();
  return await client
    .create(resources.rayJobs, rayJobOf(plan), { fieldManager: FIELD_MANAGER })
    .catch((error: unknown) => {
      throw failedTo(`rayjob/${plan.name} could not be created in namespace ${plan.namespace}`, error);
    });
}

async function removeJob(call: Invocation, { namespace, name }: RunPlan): Promise<void> {
  const client = await call.client();
  await client.delete(resources.rayJobs, { namespace, name }).then(
    () => call.say(`Deleted rayjob/${name}`),
    (error: unknown) => call.say(`rayjob/${name} could not be deleted: ${messageOf(error)}`),
  );
}

/** Uploads to a cluster that runs already. */
async function uploadTo(
  call: Invocation,
  plan: RunPlan,
  clusterName: string,
  packed: Package,
  access: HeadAccess,
): Promise<void> {
  const { namespace } = plan;
  const client = await call.client();
  await client
    .get(resources.rayClusters, { namespace, name: clusterName })
    .catch(explainRead(client, namespace, { kind: 'raycluster', name: clusterName }));
  const head = await connectToHead(call, namespace, clusterName, access, () => undefined);
  try {
    await upload(call, head, packed);
  } finally {
    await head.close();
  }
}

async function upload(call: Invocation, head: HeadConnection, { uri, bytes }: Package): Promise<void> {
  await untilHeadAnswers(call, head.client);
  if (await head.client.hasPackage(uri)) return;
  const progress = openProgressLine(call.world);
  try {
    progress.update(`Uploading ${sizeText(bytes.length)} to the Ray head`);
    await head.client.putPackage(uri, bytes);
  } catch (error) {
    call.world.signal.throwIfAborted();
    throw failedTo('the package could not be uploaded to the Ray head', error);
  } finally {
    progress.clear();
  }
}

/** Waits for the job's own cluster, uploads the package and submits the job. */
async function submitWhenReady(call: Invocation, plan: RunPlan, packed: Package, access: HeadAccess): Promise<void> {
  const { namespace, name, jobId, entrypoint } = plan;
  const progress = openProgressLine(call.world);
  try {
    const clusterName = await namedCluster(call, plan, progress);
    progress.update(`rayjob/${name}: waiting for Ray cluster ${clusterName} to upload the package`);
    await waitForObject(
      call,
      resources.rayClusters,
      { namespace, name: clusterName },
      { isDone: ({ status }) => status?.state === 'ready', timeoutMessage: '', mayAppear: true },
    );
    progress.clear();
    const head = await connectToHead(call, namespace, clusterName, access, () => undefined);
    try {
      await upload(call, head, packed);
      await head.client.submitJob({ submissionId: jobId, entrypoint, runtimeEnv: runtimeEnvOf(plan) });
    } finally {
      await head.close();
    }
  } finally {
    progress.clear();
  }
}

/** Waits until the operator has named the job's cluster. */
async function namedCluster(call: Invocation, { namespace, name }: RunPlan, progress: ProgressLine): Promise<string> {
  const { status } = await waitForObject(
    call,
    resources.rayJobs,
    { namespace, name },
    {
      isDone: (job) => (job.status?.rayClusterName ?? '') !== '' || isFailed(job),
      timeoutMessage: '',
      onChange: () => progress.update(`rayjob/${name}: waiting for the operator`),
    },
  );
  if (status?.rayClusterName) return status.rayClusterName;
  throw new CliError(`rayjob/${name} failed: ${status?.message || status?.reason || 'no reason is recorded'}`);
}

function isFailed({ status }: RayJob): boolean {
  return /^(Failed|ValidationFailed)$/.test(status?.jobDeploymentStatus ?? '');
}
