import { pipeline } from 'node:stream/promises';
import type { Pod } from '@manta/api';
import { execInPod, type PodSession, resources } from '@manta/kube';
import { CliError, ExitCode, failedTo, usageError } from '../../cli-error.ts';
import { clusterOf, headPodOf } from '../../head-pod.ts';
import type { Invocation } from '../../invocation.ts';
import { labelOf, resolveTarget } from '../../resolve-target.ts';

export interface ExecFlags {
  readonly pod?: string;
  readonly container?: string;
  readonly tty?: boolean;
  readonly stdin?: boolean;
}

/**
 * `exec (NAME | TYPE/NAME) -- CMD…`: runs a command in the head pod, or in the pod that `--pod` names. Standard input goes to the command;
 * on a terminal the command gets one too. Ends with code 1 when the command fails.
 */
export async function exec(call: Invocation, text: string, flags: ExecFlags): Promise<void> {
  const command = call.behindDashes ?? ['bash'];
  if (command.length === 0) throw usageError(`no command is given. Use e.g. kubectl ray exec ${text} -- ray status`);
  const namespace = await call.namespace();
  const pod = await podFor(call, namespace, text, flags.pod);
  const { stdin, stdout, stderr, signal } = call.world;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const tty = flags.tty ?? isTerminal;
  const wantsInput = flags.stdin ?? (isTerminal || call.behindDashes === undefined);
  const session = await execInPod(await call.connection(), {
    namespace,
    pod: pod.metadata?.name ?? '',
    container: flags.container ?? pod.spec?.containers[0]?.name,
    command,
    stdin: wantsInput,
    tty,
    signal,
  }).catch((error: unknown) => {
    throw failedTo(`cannot run ${command[0]} in pod ${pod.metadata?.name}`, error);
  });
  const restore = tty ? rawTerminal(call, session) : () => undefined;
  try {
    if (wantsInput) stdin.pipe(session.stdin.on('error', () => undefined));
    await Promise.all([
      pipeline(session.stdout, stdout, { end: false }),
      pipeline(session.stderr, stderr, { end: false }),
    ]);
    const { code } = await session.exit;
    if (code !== 0) throw new CliError(`${command[0]} in pod ${pod.metadata?.name} ended with exit code ${code}`);
  } finally {
    restore();
    if (wantsInput) stdin.unpipe(session.stdin);
    stdin.pause();
    session.close();
  }
}

/** Passes keys on as they are pressed, Ctrl-C included, and the size of the terminal. Returns what puts the terminal back. */
function rawTerminal({ world: { stdin, stdout } }: Invocation, session: PodSession): () => void {
  const resize = () => session.resize(stdout.columns ?? 80, stdout.rows ?? 24);
  stdin.setRawMode?.(true);
  stdout.on('resize', resize);
  resize();
  return () => {
    stdin.setRawMode?.(false);
    stdout.off('resize', resize);
  };
}

async function podFor(call: Invocation, namespace: string, text: string, podName: string | undefined): Promise<Pod> {
  const client = await call.client();
  if (podName !== undefined)
    return await client.get(resources.pods, { namespace, name: podName }).catch((error: unknown) => {
      throw failedTo(`unable to find pod ${podName}`, error);
    });
  const target = await resolveTarget(client, namespace, text);
  const { clusterName } = await clusterOf(client, namespace, target);
  if (clusterName === '')
    throw new CliError(
      `${labelOf(target)} has no Ray cluster now. Use kubectl ray why ${labelOf(target)} to see why.`,
      ExitCode.NotReady,
    );
  return await headPodOf(client, namespace, clusterName);
}
