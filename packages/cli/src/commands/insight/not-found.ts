import type { RayRef, World } from '@manta/insight';
import { CliError, ExitCode } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';
import { candidates } from '../../resolve-target.ts';
import { ALL_KINDS } from '../../target.ts';

const PARTS = {
  RayCluster: 'rayClusters',
  RayJob: 'rayJobs',
  RayService: 'rayServices',
  RayCronJob: 'rayCronJobs',
} as const;

/** Why a named object is not in the world: it may not be read, or it does not exist. */
export async function notFound(call: Invocation, world: World, { kind, namespace, name }: RayRef): Promise<CliError> {
  const part = world[PARTS[kind]];
  if (part.kind === 'unreadable')
    return new CliError(`${kind} ${name}: you may not ${part.right}. Ask for this right.`, ExitCode.NotAllowed);
  if (part.kind === 'absent')
    return new CliError(
      `the API server does not serve ${kind}. Install the CRDs of Ray, e.g. with bin/manta crds apply.`,
    );
  const kinds = ALL_KINDS.filter((each) => each === kind.toLowerCase());
  const others = await candidates(await call.client(), namespace, name, kinds);
  return new CliError(`${kind} ${name} not found in namespace ${namespace}.${others}`);
}
