import { PAUSED_STRATEGY, pausePatch, resumePatch, type RayService } from '@manta/api';
import { useState } from 'react';
import { merge, rayPath, send } from '../live/api.ts';
import { useLive } from '../live/use-live.ts';
import { ConfirmDialog } from './dialog.tsx';
import type { Action } from './use-action.ts';

/** Pause, resume and undo of an upgrade, as `kubectl ray rollout` does them. */
export function RolloutActions({
  object,
  run,
  isBusy,
}: { readonly object: RayService } & Pick<Action, 'run' | 'isBusy'>) {
  const { objects } = useLive();
  const [isAsking, setAsking] = useState(false);
  const { namespace = '', name = '', annotations } = object.metadata ?? {};
  const isPaused = annotations?.[PAUSED_STRATEGY] !== undefined;
  const active = object.status?.activeServiceStatus?.rayClusterName ?? '';
  const isUpgrading = (object.status?.pendingServiceStatus?.rayClusterName ?? '') !== '' && active !== '';
  const goal = objects.RayCluster.get(`${namespace}/${active}`);
  const undo = async () => {
    const path = rayPath('RayService', namespace, name);
    const current: RayService = await (await send(path)).json();
    const { suspend: _, ...rayClusterConfig } = goal?.spec ?? { headGroupSpec: { template: {} } };
    // With the resourceVersion, the API server refuses the write if the object changed meanwhile.
    await send(`${path}?fieldManager=manta-console`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...current, spec: { ...current.spec, rayClusterConfig } }),
    });
  };
  return (
    <>
      <button
        type="button"
        disabled={isBusy}
        onClick={() =>
          run(() => merge('RayService', namespace, name, isPaused ? resumePatch(object) : pausePatch(object)))
        }
      >
        {isPaused ? 'Resume upgrades' : 'Pause upgrades'}
      </button>
      {isUpgrading && goal !== undefined ? (
        <button type="button" disabled={isBusy} onClick={() => setAsking(true)}>
          Abort upgrade
        </button>
      ) : null}
      {isAsking ? (
        <ConfirmDialog
          title={`Abort the upgrade of ${name}?`}
          action="Abort upgrade"
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            run(undo);
          }}
        >
          <p>
            The service returns to the cluster spec of {active}, and traffic moves back. The Serve configuration stays.
            The same as <code className="mono">kubectl ray rollout undo {name}</code>.
          </p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}
