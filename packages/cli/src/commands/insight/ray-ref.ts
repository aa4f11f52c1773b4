import type { RayRef } from '@manta/insight';
import type { Invocation } from '../../invocation.ts';
import { resolveTarget } from '../../resolve-target.ts';

const KINDS = {
  raycluster: 'RayCluster',
  rayjob: 'RayJob',
  rayservice: 'RayService',
  raycronjob: 'RayCronJob',
} as const;

/** The Ray object that the user named. */
export async function readRef(call: Invocation, text: string): Promise<RayRef> {
  const namespace = await call.namespace();
  const { kind, name } = await resolveTarget(await call.client(), namespace, text);
  return { kind: KINDS[kind], namespace, name };
}
