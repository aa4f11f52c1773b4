import type { RayCluster } from '@manta/api';
import { useState } from 'react';
import { RequestFailed, rayPath, send } from '../live/api.ts';
import { useAction } from '../parts/use-action.ts';

/** Sets the replicas of one worker group. With an autoscaler, Ray decides: the buttons are off and say so. */
export function ScaleGroup({ cluster, index }: { readonly cluster: RayCluster; readonly index: number }) {
  const group = cluster.spec?.workerGroupSpecs?.[index];
  const [wanted, setWanted] = useState<number>();
  const { problem, isBusy, run } = useAction();
  if (group === undefined) return null;
  const { groupName, replicas = 0, minReplicas = 0, maxReplicas = 2_147_483_647 } = group;
  if (cluster.spec?.enableInTreeAutoscaling === true)
    return (
      <span className="dim small">
        {replicas} wanted, {minReplicas} to {maxReplicas}
        <br />
        set by the autoscaler
      </span>
    );
  const value = wanted ?? replicas;
  const apply = () =>
    run(async () => {
      await scale(cluster, index, groupName, value);
      setWanted(undefined);
    });
  return (
    <span className="scale">
      <span className="stepper">
        <button
          type="button"
          aria-label={`Fewer ${groupName}`}
          disabled={value <= minReplicas}
          onClick={() => setWanted(value - 1)}
        >
          −
        </button>
        <output aria-label={`Replicas of ${groupName}`}>{value}</output>
        <button
          type="button"
          aria-label={`More ${groupName}`}
          disabled={value >= maxReplicas}
          onClick={() => setWanted(value + 1)}
        >
          +
        </button>
      </span>
      {value === replicas ? null : (
        <button type="button" className="primary" disabled={isBusy} onClick={apply}>
          Scale to {value}
        </button>
      )}
      {problem === '' ? null : (
        <span role="alert" className="problem">
          ✕ {problem}
        </span>
      )}
    </span>
  );
}

/** A list of a custom resource is replaced as a whole, so this changes one number of it, and only while the group is the same. */
async function scale(cluster: RayCluster, index: number, groupName: string, replicas: number): Promise<void> {
  const { namespace = '', name = '' } = cluster.metadata ?? {};
  const at = `/spec/workerGroupSpecs/${index}`;
  try {
    await send(`${rayPath('RayCluster', namespace, name)}?fieldManager=manta-console`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json-patch+json' },
      body: JSON.stringify([
        { op: 'test', path: `${at}/groupName`, value: groupName },
        { op: 'add', path: `${at}/replicas`, value: replicas },
      ]),
    });
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 422)
      throw new Error(`group ${groupName} was not scaled: ${error.message}`, { cause: error });
    throw error;
  }
}
