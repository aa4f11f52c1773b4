import { createWriteStream } from 'node:fs';
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Label, type Pod } from '@manta/api';
import { execInPod, podLogs, resources } from '@manta/kube';
import { CliError, ExitCode, failedTo, messageOf, usageError } from '../cli-error.ts';
import { clusterOf } from '../head-pod.ts';
import type { Invocation } from '../invocation.ts';
import { parseTarget } from '../target.ts';
import { extractTar } from './extract-tar.ts';
import { containerRuns } from './logs/containers.ts';
import { cloudLoggingLink } from './gke-link.ts';
import type { LogFlags } from './log-flags.ts';

const LOGS_IN_POD = '/tmp/ray/session_latest/logs/';
/** Downloads that run side by side: enough to hide the latency of each, few enough to keep memory and file handles low. */
const PARALLEL = 4;

const CHOICE = {
  all: 'Command set to retrieve both head and worker node logs.',
  head: 'Command set to retrieve only head node logs.',
  worker: 'Command set to retrieve only worker node logs.',
} as const;

/**
 * `log (NAME | TYPE/NAME)`: saves each Ray pod's output and Ray's own log files, one folder for each pod. A pod that fails does not stop
 * the others; the exit code is 1 then.
 */
export async function log(call: Invocation, text: string, flags: LogFlags): Promise<void> {
  const target = parseTarget(text);
  call.print(CHOICE[flags.nodeType]);
  const namespace = await call.namespace();
  if (flags.link !== undefined) {
    if (flags.link !== 'gke') throw usageError(`unsupported link type "${flags.link}", only "gke" is supported`);
    if (flags.outDir !== undefined) throw usageError('--out-dir is incompatible with --link');
    const { clusterName } = await clusterOf(await call.client(), namespace, target);
    await cloudLoggingLink(call, namespace, clusterName, flags.nodeType);
    return;
  }
  const isDefaulted = flags.outDir === undefined;
  const folder = flags.outDir ?? target.name;
  if (isDefaulted) {
    call.print('No output directory specified, creating dir under current directory using resource name.');
    await mkdir(folder, { recursive: true });
  }
  await checkFolder(folder);
  try {
    await downloadLogs(call, namespace, folder, await podsOf(call, namespace, target, flags));
  } catch (error) {
    // Removes the folder only where it is still empty.
    if (isDefaulted) await rmdir(folder).catch(() => undefined);
    throw error;
  }
}

async function checkFolder(folder: string): Promise<void> {
  const info = await stat(folder).catch((error: unknown) => {
    throw usageError(
      `Directory does not exist. Failed with: ${messageOf(error)}. Create ${folder}, or leave --out-dir out.`,
      error,
    );
  });
  if (!info.isDirectory()) throw usageError('Path is not a directory. Please input a directory and try again');
}

async function podsOf(
  call: Invocation,
  namespace: string,
  target: ReturnType<typeof parseTarget>,
  { nodeType }: LogFlags,
): Promise<readonly Pod[]> {
  const client = await call.client();
  const clusterName =
    target.kind === 'raycluster' ? target.name : (await clusterOf(client, namespace, target)).clusterName;
  if (clusterName === '') throw new CliError(`${target.kind}/${target.name} has no Ray cluster now`, ExitCode.NotReady);
  const labelSelector = [
    `${Label.Cluster}=${clusterName}`,
    ...(nodeType === 'all' ? [] : [`${Label.NodeType}=${nodeType}`]),
  ].join(',');
  const { items } = await client.list(resources.pods, { namespace, labelSelector }).catch((error: unknown) => {
    throw failedTo(`failed to list the pods of Ray cluster ${clusterName}`, error);
  });
  if (items.length === 0) throw new CliError(`No Ray nodes found for resource ${clusterName}`);
  return items;
}

/** Saves the logs of these pods, four at a time; each is streamed to disk. Rejects at the end with the pods that failed. */
export async function downloadLogs(
  call: Invocation,
  namespace: string,
  folder: string,
  pods: readonly Pod[],
): Promise<void> {
  const waiting = [...pods];
  const failures: string[] = [];
  const work = async () => {
    for (let pod = waiting.shift(); pod !== undefined; pod = waiting.shift()) {
      const name = pod.metadata?.name ?? '';
      try {
        await downloadPod(call, namespace, folder, pod);
      } catch (error) {
        call.world.signal.throwIfAborted();
        failures.push(`${name}: ${messageOf(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  if (failures.length > 0)
    throw new CliError(
      `the logs of ${failures.length} of ${pods.length} Ray nodes are not complete:\n  ${failures.join('\n  ')}`,
    );
}

async function downloadPod(call: Invocation, namespace: string, folder: string, pod: Pod): Promise<void> {
  const name = pod.metadata?.name ?? '';
  const container = pod.spec?.containers[0]?.name;
  const { signal } = call.world;
  const target = join(folder, name);
  await mkdir(target, { recursive: true });
  call.print(`Downloading log for Ray Node ${name}`);
  for (const run of containerRuns(pod)) {
    if (run.waitsFor !== undefined) continue;
    const output = podLogs(await call.transport(), { namespace, pod: name, container: run.container, signal });
    // The Ray container's output has the name that KubeRay's plugin gives it.
    const file = run.container === container ? 'stdout.log' : `${run.container}.log`;
    await pipeline(output, createWriteStream(join(target, file)));
  }
  const command = ['tar', '--warning=no-file-changed', '-cf', '-', '-C', LOGS_IN_POD, '.'];
  const running = await execInPod(await call.connection(), { namespace, pod: name, container, command, signal });
  // What is not waited for, because the archive is damaged, must not become an unhandled rejection.
  running.exit.catch(() => undefined);
  const complaint = readSome(running.stderr).catch(() => '');
  try {
    await extractTar(running.stdout, target, (problem) => call.say(`${name}: ${problem}`));
    const { code } = await running.exit;
    // GNU tar ends with 1 when a file changed while it was read, which logs do.
    if (code !== 0 && code !== 1) throw new Error(`tar in the pod ended with ${code}: ${(await complaint).trim()}`);
  } finally {
    // A session whose archive is not read to its end would keep this process alive.
    running.close();
  }
}

const MAX_COMPLAINT = 2000;

async function readSome(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) if (text.length < MAX_COMPLAINT) text += chunk.toString('utf8');
  return text.slice(0, MAX_COMPLAINT);
}
