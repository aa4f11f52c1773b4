import type { KubeObject, RayCluster, RayJob, RayService } from '@manta/api';
import { CliError, usageError } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { parseTarget, RAY_TYPES, type RayKind } from '../target.ts';
import { waitForObject } from './wait-for-object.ts';

const KINDS: readonly RayKind[] = ['raycluster', 'rayjob', 'rayservice'];

export interface WaitFlags {
  readonly for?: string;
  readonly timeout: number;
}

/** What `wait` needs of an object. */
interface Watched extends KubeObject {
  readonly status?: RayCluster['status'] & RayJob['status'] & RayService['status'];
}

/**
 * `wait TYPE/NAME`: until a RayCluster is provisioned, a RayService is ready or a RayJob has ended (a failed job fails the command), or
 * until the condition that `--for condition=NAME` names is True. Exit code 3 when the time is over.
 */
export async function waitFor(call: Invocation, text: string, flags: WaitFlags): Promise<void> {
  const target = parseTarget(text, KINDS);
  const condition = conditionOf(flags.for, target.kind);
  const namespace = await call.namespace();
  const label = `${target.kind}/${target.name}`;
  const isTrue = ({ status }: Watched) =>
    status?.conditions?.some((one) => one.type === condition && one.status === 'True') === true;
  const found: Watched = await waitForObject(
    call,
    RAY_TYPES[target.kind],
    { namespace, name: target.name },
    {
      isDone: (object: Watched) => (condition === undefined ? hasEnded(object) : isTrue(object)),
      timeoutMs: flags.timeout,
      timeoutMessage: `timed out waiting for ${label} ${condition === undefined ? 'to end' : `to have condition ${condition}`}`,
    },
  );
  if (condition === undefined && found.status?.jobDeploymentStatus !== 'Complete')
    throw new CliError(`${label} failed: ${found.status?.message || found.status?.reason || 'no reason is recorded'}`);
  call.print(
    `${label} ${condition === undefined ? `ended with ${found.status?.jobStatus}` : `condition met: ${condition}`}`,
  );
}

function hasEnded({ status }: Watched): boolean {
  return /^(Complete|Failed|ValidationFailed)$/.test(status?.jobDeploymentStatus ?? '');
}

/** Undefined waits for the end of a job. */
function conditionOf(text: string | undefined, kind: RayKind): string | undefined {
  if (text === undefined)
    return kind === 'rayjob' ? undefined : kind === 'rayservice' ? 'Ready' : 'RayClusterProvisioned';
  const name = /^condition=([A-Za-z]+)$/.exec(text)?.[1];
  if (name === undefined) throw usageError(`--for ${text} cannot be waited for. Use e.g. --for condition=Ready.`);
  return name;
}
