import { isNotFound } from '@manta/kube';
import { CliError, failedTo } from '../cli-error.ts';
import { FIELD_MANAGER } from '../field-manager.ts';
import type { Invocation } from '../invocation.ts';
import { parseTarget, RAY_TYPES, type RayKind } from '../target.ts';

const SUSPENDABLE: readonly RayKind[] = ['raycluster', 'rayjob', 'rayservice', 'raycronjob'];

/** `suspend` and `resume`: sets `spec.suspend`. The operator deletes the pods of what is suspended and creates them again on resume. */
export async function setSuspended(call: Invocation, names: readonly string[], isSuspended: boolean): Promise<void> {
  const targets = names.map((name) => parseTarget(name, SUSPENDABLE));
  const namespace = await call.namespace();
  const client = await call.client();
  for (const { kind, name } of targets) {
    const type = RAY_TYPES[kind];
    const patch = { type: 'merge', body: { spec: { suspend: isSuspended } } } as const;
    await client.patch(type, { namespace, name }, patch, { fieldManager: FIELD_MANAGER }).catch((error: unknown) => {
      if (isNotFound(error)) throw new CliError(`${kind}/${name} not found in namespace ${namespace}`);
      throw failedTo(`failed to ${isSuspended ? 'suspend' : 'resume'} ${kind}/${name}`, error);
    });
    call.print(`${isSuspended ? 'Suspended' : 'Resumed'} ${kind} ${name}`);
  }
}
