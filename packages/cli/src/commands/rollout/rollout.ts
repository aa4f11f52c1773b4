import type { RayCluster, RayService } from '@manta/api';
import { resources } from '@manta/kube';
import { CliError, ExitCode, failedTo } from '../../cli-error.ts';
import { FIELD_MANAGER } from '../../field-manager.ts';
import type { Invocation } from '../../invocation.ts';
import { openProgressLine } from '../../live/progress-line.ts';
import { explainRead, labelOf, resolveTarget } from '../../resolve-target.ts';
import { RAY_TYPES, type RayKind, type Target } from '../../target.ts';
import { waitForObject } from '../wait-for-object.ts';
import { clusterRollout, type RolloutState, serviceRollout } from './rollout-state.ts';

export const ROLLOUT_KINDS: readonly RayKind[] = ['rayservice', 'raycluster'];

export interface RolloutStatusFlags {
  /** False with `--no-watch`. */
  readonly watch: boolean;
  readonly timeout: number;
}

/** `rollout status`: waits until the rollout is done. Exit code 1 when it failed, 3 when it takes longer than `--timeout`. */
export async function rolloutStatus(call: Invocation, text: string, flags: RolloutStatusFlags): Promise<void> {
  const { namespace, target } = await targetOf(call, text);
  const label = labelOf(target);
  const progress = openProgressLine(call.world);
  let latest: RolloutState | undefined;
  const judge = (object: RayCluster | RayService) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind of the target decides which of the two it is
    latest = target.kind === 'rayservice' ? serviceRollout(object as RayService) : clusterRollout(object as RayCluster);
    return latest;
  };
  try {
    const client = await call.client();
    const ref = { namespace, name: target.name };
    const type = RAY_TYPES[target.kind];
    const object = flags.watch
      ? await waitForObject(call, type, ref, {
          isDone: (one) => judge(one).kind !== 'under way',
          onChange: (one) => progress.update(`${label}: ${judge(one).text}`),
          timeoutMs: flags.timeout,
          timeoutMessage: `timed out waiting for the rollout of ${label}`,
        }).catch((error: unknown) => {
          if (error instanceof CliError && error.exitCode === ExitCode.NotReady)
            throw new CliError(`${error.message}: ${latest?.text}. kubectl ray why ${label} names the cause.`, 3);
          throw error;
        })
      : await client.get(type, ref);
    progress.clear();
    const state = judge(object);
    if (state.kind === 'failed') throw new CliError(`the rollout of ${label} failed: ${state.text}`);
    if (state.kind === 'under way') throw new CliError(`${label} is being rolled out: ${state.text}`, 3);
    call.print(`${label} is rolled out: ${state.text}`);
  } finally {
    progress.clear();
  }
}

/** Looks up what the user named; rejects with candidates when it does not exist. */
export async function targetOf(
  call: Invocation,
  text: string,
): Promise<{ readonly namespace: string; readonly target: Target }> {
  const namespace = await call.namespace();
  const client = await call.client();
  const target = await resolveTarget(client, namespace, text, ROLLOUT_KINDS);
  await client
    .get(RAY_TYPES[target.kind], { namespace, name: target.name }, { content: 'metadata' })
    .catch(explainRead(client, namespace, target));
  return { namespace, target };
}

/** Merges a change into an object. */
export async function change(call: Invocation, namespace: string, target: Target, body: unknown): Promise<void> {
  const client = await call.client();
  const ref = { namespace, name: target.name };
  await client
    .patch(RAY_TYPES[target.kind], ref, { type: 'merge', body }, { fieldManager: FIELD_MANAGER })
    .catch((error: unknown) => {
      throw failedTo(`failed to change ${labelOf(target)}`, error);
    });
}

/** The RayCluster or RayService itself. */
export async function readService(call: Invocation, namespace: string, name: string): Promise<RayService> {
  const client = await call.client();
  return await client.get(resources.rayServices, { namespace, name });
}

export async function readCluster(call: Invocation, namespace: string, name: string): Promise<RayCluster> {
  const client = await call.client();
  return await client.get(resources.rayClusters, { namespace, name });
}
