import { useState } from 'react';
import { isRayJobEnded } from '../format/object-state.ts';
import { type RayKind, remove, setSuspend } from '../live/api.ts';
import type { RayObject } from '../live/store.ts';
import { useLive } from '../live/use-live.ts';
import { deletedWith } from './deleted-with.ts';
import { ConfirmDialog } from './dialog.tsx';

type Verb = 'Suspend' | 'Resume' | 'Delete';

export interface BulkActionsProps {
  readonly kind: RayKind;
  readonly chosen: readonly RayObject[];
  readonly onDone: () => void;
}

const AT_ONCE = 5;

/** Suspends, resumes or deletes the chosen objects; shows first which ones, and what is deleted with them. */
export function BulkActions({ kind, chosen, onDone }: BulkActionsProps) {
  const [verb, setVerb] = useState<Verb>();
  const [failures, setFailures] = useState<readonly string[]>([]);
  const suitable = (wanted: Verb) => chosen.filter((object) => suits(wanted, kind, object));
  const perform = async (wanted: Verb) => {
    setVerb(undefined);
    const failed = await inBatches(suitable(wanted), async ({ metadata }) => {
      const { namespace = '', name = '' } = metadata ?? {};
      if (wanted === 'Delete') await remove(kind, namespace, name);
      else await setSuspend(kind, namespace, name, wanted === 'Suspend');
    });
    setFailures(failed);
    if (failed.length === 0) onDone();
  };
  return (
    <div className="bulk" role="region" aria-label="Chosen objects">
      <b>{chosen.length.toLocaleString('en')} chosen</b>
      {(['Suspend', 'Resume', 'Delete'] as const).map((each) => (
        <button
          key={each}
          type="button"
          className={each === 'Delete' ? 'danger' : undefined}
          disabled={suitable(each).length === 0}
          onClick={() => setVerb(each)}
        >
          {each}
        </button>
      ))}
      <button type="button" onClick={onDone}>
        Clear
      </button>
      {failures.length === 0 ? null : (
        <div role="alert" className="problem">
          {failures.slice(0, 5).map((each) => (
            <div key={each}>✕ {each}</div>
          ))}
          {failures.length > 5 ? <div>and {failures.length - 5} more</div> : null}
        </div>
      )}
      {verb === undefined ? null : (
        <ConfirmDialog
          title={`${verb} ${suitable(verb).length} ${kind}${suitable(verb).length === 1 ? '' : 's'}?`}
          action={verb}
          isDangerous={verb === 'Delete'}
          onCancel={() => setVerb(undefined)}
          onConfirm={() => void perform(verb)}
        >
          <Affected objects={suitable(verb)} verb={verb} left={chosen.length - suitable(verb).length} />
        </ConfirmDialog>
      )}
    </div>
  );
}

function suits(verb: Verb, kind: RayKind, object: RayObject): boolean {
  const isSuspended = object.spec?.suspend === true;
  if (verb === 'Delete') return true;
  if (kind === 'RayJob' && isRayJobEnded(object)) return false;
  return verb === 'Resume' ? isSuspended : !isSuspended;
}

function Affected({
  objects,
  verb,
  left,
}: {
  readonly objects: readonly RayObject[];
  readonly verb: Verb;
  readonly left: number;
}) {
  const { objects: live } = useLive();
  return (
    <>
      <ul className="plain scroll">
        {objects.slice(0, 100).map(({ metadata }) => {
          const below = verb === 'Delete' ? deletedWith(live, metadata?.uid ?? '') : [];
          return (
            <li key={metadata?.uid}>
              {metadata?.namespace}/{metadata?.name}
              {below.length === 0 ? null : <span className="dim"> with {below.join(', ')}</span>}
            </li>
          );
        })}
        {objects.length > 100 ? <li>and {objects.length - 100} more</li> : null}
      </ul>
      {left > 0 ? <p className="dim">{left} others stay as they are: this does not apply to them.</p> : null}
      {verb === 'Suspend' ? <p className="dim">The operator deletes their pods.</p> : null}
    </>
  );
}

/** Runs the work for all items, a few at once; returns what went wrong. */
async function inBatches(
  items: readonly RayObject[],
  work: (item: RayObject) => Promise<void>,
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const batch = items.slice(at, at + AT_ONCE);
    const outcomes = await Promise.allSettled(batch.map(work));
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        failed.push(outcome.reason instanceof Error ? outcome.reason.message : String(outcome.reason));
  }
  return failed;
}
