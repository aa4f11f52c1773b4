import { useEffect, useState } from 'react';
import { rayPath, send } from '../live/api.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { DiffView } from './code-editor.tsx';
import type { Manifest } from './findings.ts';
import { textOf } from './manifest-text.ts';
import type { Source } from './use-source.ts';

export interface ConflictProps {
  readonly opened: NonNullable<Source['opened']>;
  readonly original: string;
  readonly mine: string;
  /** Opens the present version; the draft stays. */
  readonly onReopen: () => void;
  readonly onForce: () => void;
}

/** The object changed since it was opened: what others changed, beside what the viewer changed. */
export function ConflictView({ opened, original, mine, onReopen, onForce }: ConflictProps) {
  const [theirs, setTheirs] = useState<string>();
  const { kind, namespace, name } = opened;
  useEffect(() => {
    const read = async () => {
      const answer = await send(rayPath(kind, namespace, name));
      const object: Manifest = { ...(await answer.json()), apiVersion: 'ray.io/v1', kind };
      setTheirs(textOf(object));
    };
    read().catch((error: unknown) => setTheirs(`# ${error instanceof Error ? error.message : String(error)}`));
  }, [kind, namespace, name]);
  return (
    <>
      <div className="why" role="alert">
        <p>
          <b>{name} was changed by others since you opened it.</b>
        </p>
        <p>Nothing of your text is lost. Compare both changes, then decide.</p>
        <span className="row start">
          <button type="button" onClick={onReopen}>
            Edit my text on top of the present version
          </button>
          <button type="button" className="danger" onClick={onForce}>
            Apply mine, undo theirs
          </button>
          <CopyButton text={mine} label="Copy my text" />
        </span>
      </div>
      <div className="grid half">
        <section className="panel">
          <header>
            <h2>What others changed</h2>
            <span className="dim">since you opened it</span>
          </header>
          {theirs === undefined ? (
            <p className="empty">Reading …</p>
          ) : (
            <DiffView before={original} after={theirs} label="What others changed" />
          )}
        </section>
        <section className="panel">
          <header>
            <h2>What you changed</h2>
          </header>
          {mine === original ? (
            <p className="empty">Nothing.</p>
          ) : (
            <DiffView before={original} after={mine} label="What you changed" />
          )}
        </section>
      </div>
    </>
  );
}
