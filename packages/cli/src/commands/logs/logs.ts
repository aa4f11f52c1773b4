import { mkdir } from 'node:fs/promises';
import type { Pod } from '@manta/api';
import { resources } from '@manta/kube';
import { CliError, ExitCode, failedTo, usageError } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';
import { explainRead, labelOf, resolveTarget } from '../../resolve-target.ts';
import { RAY_TYPES, type Target } from '../../target.ts';
import { downloadLogs, log } from '../log.ts';
import { containerRuns } from './containers.ts';
import { followLogs } from './follow-logs.ts';
import { LogPrinter } from './log-printer.ts';
import type { LogsFlags } from './logs-flags.ts';
import { PodSelection } from './pod-selection.ts';
import { readLog } from './read-log.ts';

/**
 * `logs [NAME | TYPE/NAME]`: prints the logs of all containers of all its pods, or of all Ray pods of the namespace. `-f` stays, and
 * joins pods that are created later. `--download` saves them instead, with Ray's own log files.
 */
export async function logs(call: Invocation, text: string | undefined, flags: LogsFlags): Promise<void> {
  const { outDir, link, nodeType } = flags;
  // KubeRay's plugin knows `logs` as another name of `log`.
  if (text !== undefined && (outDir !== undefined || link !== undefined)) {
    await log(call, text, { nodeType, ...(outDir !== undefined && { outDir }), ...(link !== undefined && { link }) });
    return;
  }
  if (flags.follow === true && flags.previous === true)
    throw usageError('--follow cannot be combined with --previous: a former run has ended. Leave one out.');
  const printer = new LogPrinter(call, flags.grep);
  const namespace = await call.namespace();
  const target = await targetOf(call, namespace, text);
  const selection = new PodSelection(await call.client(), namespace, target, flags);
  if (flags.follow === true) {
    await followLogs(call, namespace, target, selection, flags, printer);
    return;
  }
  const pods = await podsOf(call, namespace, target, selection);
  if (flags.download !== undefined) {
    await mkdir(flags.download, { recursive: true });
    await downloadLogs(call, namespace, flags.download, pods);
    return;
  }
  for (const pod of pods)
    for (const run of containerRuns(pod, flags.container)) {
      if (run.waitsFor === undefined) await readLog(call, namespace, run, flags, printer);
      else call.say(`${run.pod} ${run.container}: no log yet (${run.waitsFor})`);
    }
}

/** Undefined for all Ray pods; rejects when the object does not exist. */
async function targetOf(call: Invocation, namespace: string, text: string | undefined): Promise<Target | undefined> {
  if (text === undefined) return undefined;
  const client = await call.client();
  const target = await resolveTarget(client, namespace, text, ['raycluster', 'rayjob', 'rayservice']);
  await client
    .get(RAY_TYPES[target.kind], { namespace, name: target.name }, { content: 'metadata' })
    .catch(explainRead(client, namespace, target));
  return target;
}

async function podsOf(
  call: Invocation,
  namespace: string,
  target: Target | undefined,
  selection: PodSelection,
): Promise<readonly Pod[]> {
  const client = await call.client();
  const { items } = await client.list(resources.pods, { namespace }).catch((error: unknown) => {
    throw failedTo(`unable to list the pods of namespace ${namespace}`, error);
  });
  const pods: Pod[] = [];
  for (const pod of items) if (await selection.has(pod)) pods.push(pod);
  if (pods.length > 0) return pods;
  const what = target === undefined ? `namespace ${namespace}` : labelOf(target);
  const remedy = target === undefined ? '' : ` kubectl ray why ${labelOf(target)} -n ${namespace} names the cause.`;
  throw new CliError(`${what} has no matching pods now.${remedy}`, ExitCode.NotReady);
}
