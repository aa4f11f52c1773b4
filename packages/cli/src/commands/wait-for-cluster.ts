import { type RayCluster, RayClusterConditionType, RayClusterState } from '@manta/api';
import { resources } from '@manta/kube';
import type { Invocation } from '../invocation.ts';
import { waitForObject } from './wait-for-object.ts';

/** Waits until the cluster has been provisioned; fails with exit code 3 when that takes longer than `timeoutMs`. */
export async function waitForCluster(
  call: Invocation,
  namespace: string,
  name: string,
  timeoutMs: number,
): Promise<RayCluster> {
  return await waitForObject(
    call,
    resources.rayClusters,
    { namespace, name },
    {
      isDone: isProvisioned,
      timeoutMs,
      timeoutMessage: `timed out waiting for Ray cluster ${name} in namespace ${namespace} to be provisioned`,
    },
  );
}

function isProvisioned({ status }: RayCluster): boolean {
  const isTrue = status?.conditions?.some(
    (condition) => condition.type === RayClusterConditionType.Provisioned && condition.status === 'True',
  );
  return isTrue === true || status?.state === RayClusterState.Ready;
}
