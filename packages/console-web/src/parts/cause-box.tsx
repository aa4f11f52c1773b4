import { type RayRef, why } from '@manta/insight';
import { useMemo } from 'react';
import { sentence } from '../format/sentence.ts';
import { useLive } from '../live/use-live.ts';
import { worldOf } from '../live/world.ts';

/** Why an object is not well, from the object down to the one thing that blocks it, and what to do. Nothing where all is well. */
export function CauseBox({ target: { kind, namespace, name } }: { readonly target: RayRef }) {
  const live = useLive();
  const answer = useMemo(
    () => why(worldOf(live, Date.now()), { kind, namespace, name }),
    [live, kind, namespace, name],
  );
  const { cause, chain, others, health } = answer;
  if (cause === undefined) return null;
  return (
    <div className={health === 'progressing' ? 'why progress' : 'why'} role="status">
      <p>
        <b>{sentence(cause.sentence)}</b>
      </p>
      {(cause.lines ?? []).every((line) => line.trim() === '') ? null : <pre>{cause.lines?.join('\n')}</pre>}
      {chain.length > 1 ? (
        <ol>
          {chain.map((link) => (
            <li key={`${link.object.kind}/${link.object.name}/${link.says}`}>
              {link.object.kind} {link.object.name}: {link.says}
            </li>
          ))}
        </ol>
      ) : null}
      <p>
        <b>What to do:</b> {cause.action}
      </p>
      {others.map((other) => (
        <p key={other.code} className="dim">
          Also: {other.sentence}.
        </p>
      ))}
    </div>
  );
}
