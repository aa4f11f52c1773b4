import { useState } from 'react';
import { Link } from 'wouter';
import { type RayKind, remove, setSuspend } from '../live/api.ts';
import { useLive } from '../live/use-live.ts';

export interface ActionsProps {
  readonly kind: RayKind;
  readonly namespace: string;
  readonly name: string;
  readonly isSuspended: boolean;
}

/** Suspend, resume and delete. What fails is shown beside the buttons in the words of the API server. */
export function Actions({ kind, namespace, name, isSuspended }: ActionsProps) {
  const [problem, setProblem] = useState('');
  const [isAsking, setAsking] = useState(false);
  const { objects } = useLive();
  const run = (work: Promise<void>) => {
    setProblem('');
    work.catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  };
  const uid = objects[kind].get(`${namespace}/${name}`)?.metadata?.uid ?? '';
  const owned = [...objects.RayCluster.values(), ...objects.RayJob.values()].filter(
    ({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.uid === uid) === true,
  );
  return (
    <span className="row">
      {problem === '' ? null : (
        <span role="alert" className="state bad">
          ✕ {problem}
        </span>
      )}
      <Link className="button" href={`/editor?kind=${kind}&namespace=${namespace}&name=${name}`}>
        Edit
      </Link>
      <button type="button" onClick={() => run(setSuspend(kind, namespace, name, !isSuspended))}>
        {isSuspended ? 'Resume' : 'Suspend'}
      </button>
      <button type="button" className="danger" onClick={() => setAsking(true)}>
        Delete
      </button>
      {isAsking ? (
        <dialog open aria-label={`Delete ${name}`}>
          <div className="body">
            <b>
              Delete {kind} {namespace}/{name}?
            </b>
            <p>
              {owned.length === 0
                ? 'Its pods and Services are deleted with it.'
                : `This also deletes ${owned.map(({ kind: owner, metadata }) => `${owner ?? ''} ${metadata?.name ?? ''}`).join(', ')} and all pods.`}
            </p>
            <span className="row">
              <button type="button" onClick={() => setAsking(false)}>
                Keep it
              </button>
              <button
                type="button"
                className="danger"
                onClick={() => {
                  setAsking(false);
                  run(remove(kind, namespace, name));
                }}
              >
                Delete
              </button>
            </span>
          </div>
        </dialog>
      ) : null}
    </span>
  );
}
