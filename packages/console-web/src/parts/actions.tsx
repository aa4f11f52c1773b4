import { isRayJobEnded } from '../format/object-state.ts';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type RayKind, remove, setSuspend } from '../live/api.ts';
import { LISTS, pagePath } from '../live/pages.ts';
import type { RayObject } from '../live/store.ts';
import { useLive } from '../live/use-live.ts';
import { retryJob, triggerCron } from '../live/create-jobs.ts';
import { deletedWith } from './deleted-with.ts';
import { ConfirmDialog } from './dialog.tsx';
import { RayDashboardButton } from './ray-dashboard-button.tsx';
import { RolloutActions } from './rollout-actions.tsx';
import { useAction } from './use-action.ts';

export interface ActionsProps {
  readonly kind: RayKind;
  readonly object: RayObject;
}

/** What can be done with an object. A refusal is shown above the page in the words of the API server. */
export function Actions({ kind, object }: ActionsProps) {
  const { problem, isBusy, run } = useAction();
  const [isAsking, setAsking] = useState<'delete' | 'stop'>();
  const { objects } = useLive();
  const [, navigate] = useLocation();
  const { namespace = '', name = '', uid = '' } = object.metadata ?? {};
  const service = kind === 'RayService' ? objects.RayService.get(`${namespace}/${name}`) : undefined;
  const isSuspended = object.spec?.suspend === true;
  const isEnded = kind === 'RayJob' && isRayJobEnded(object);
  const query = `kind=${kind}&namespace=${encodeURIComponent(namespace)}&name=${encodeURIComponent(name)}`;
  const below = deletedWith(objects, uid);
  return (
    <span className="actions">
      {problem === '' ? null : (
        <span role="alert" className="problem">
          ✕ {problem}
        </span>
      )}
      <RayDashboardButton kind={kind} namespace={namespace} name={name} run={run} isBusy={isBusy} />
      {service === undefined ? null : <RolloutActions object={service} run={run} isBusy={isBusy} />}
      {kind === 'RayCronJob' ? (
        <button
          type="button"
          disabled={isBusy}
          onClick={() => run(async () => navigate(pagePath('RayJob', namespace, await triggerCron(object))))}
        >
          Trigger now
        </button>
      ) : null}
      {kind === 'RayJob' ? (
        <Link className="button" href={`/editor?${query}&clone=1`}>
          Clone
        </Link>
      ) : null}
      <Link className="button" href={`/editor?${query}`}>
        Edit
      </Link>
      {isEnded ? (
        <button
          type="button"
          className="primary"
          disabled={isBusy}
          onClick={() => run(async () => navigate(pagePath('RayJob', namespace, await retryJob(object))))}
        >
          Retry
        </button>
      ) : (
        <button
          type="button"
          disabled={isBusy}
          onClick={() =>
            isSuspended || kind === 'RayCronJob'
              ? run(() => setSuspend(kind, namespace, name, !isSuspended))
              : setAsking('stop')
          }
        >
          {isSuspended ? 'Resume' : kind === 'RayCronJob' ? 'Pause' : 'Suspend'}
        </button>
      )}
      <button type="button" className="danger" onClick={() => setAsking('delete')}>
        Delete
      </button>
      {isAsking === 'stop' ? (
        <ConfirmDialog
          title={`Suspend ${name}?`}
          action="Suspend"
          onCancel={() => setAsking(undefined)}
          onConfirm={() => {
            setAsking(undefined);
            run(() => setSuspend(kind, namespace, name, true));
          }}
        >
          <p>
            The operator deletes its pods.{' '}
            {kind === 'RayJob' ? 'Resume starts the job from the beginning.' : 'Resume creates them again.'}
          </p>
        </ConfirmDialog>
      ) : null}
      {isAsking === 'delete' ? (
        <ConfirmDialog
          title={`Delete ${kind} ${namespace}/${name}?`}
          action="Delete"
          isDangerous
          onCancel={() => setAsking(undefined)}
          onConfirm={() => {
            setAsking(undefined);
            run(async () => {
              await remove(kind, namespace, name);
              navigate(LISTS[kind].path);
            });
          }}
        >
          <DeletedWith names={below} />
        </ConfirmDialog>
      ) : null}
    </span>
  );
}

/** What is deleted together with an object. */
export function DeletedWith({ names }: { readonly names: readonly string[] }): ReactNode {
  if (names.length === 0) return <p>Nothing else is deleted with it.</p>;
  return (
    <div>
      <p>Deleted with it:</p>
      <ul className="plain">
        {names.slice(0, 12).map((each) => (
          <li key={each}>{each}</li>
        ))}
        {names.length > 12 ? <li>and {names.length - 12} more</li> : null}
      </ul>
    </div>
  );
}
