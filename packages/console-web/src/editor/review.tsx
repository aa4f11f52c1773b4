import { useMemo } from 'react';
import { DiffView } from './code-editor.tsx';
import { checkText, type Finding } from './findings.ts';
import { textOf } from './manifest-text.ts';
import { PlanPanel } from './plan-panel.tsx';
import type { DryRun } from './use-dry-run.ts';

export interface ReviewProps {
  readonly text: string;
  /** The object as it was opened; empty for a new one. */
  readonly original: string;
  readonly dryRun: DryRun;
  readonly isNew: boolean;
  readonly onGoTo: (offset: number) => void;
}

/** What is wrong with the text, what the API server says, and what would change. */
export function Review({ text, original, dryRun, isNew, onGoTo }: ReviewProps) {
  const { findings } = useMemo(() => checkText(text), [text]);
  const errors = findings.filter(({ severity }) => severity === 'error');
  return (
    <div className="groups review">
      <section className="panel" aria-label="Check">
        <header>
          <h2>Check</h2>
          <span aria-live="polite">{verdict(errors.length, dryRun)}</span>
        </header>
        {findings.length === 0 ? null : (
          <ul className="findings">
            {findings.slice(0, 20).map((finding) => (
              <li key={`${finding.from}/${finding.message}`}>
                <button type="button" onClick={() => onGoTo(finding.from)}>
                  <span className={finding.severity === 'error' ? 'state bad' : 'state warn'}>
                    {finding.severity === 'error' ? '✕' : '!'} line {lineOf(text, finding)}
                  </span>{' '}
                  {finding.message}
                </button>
              </li>
            ))}
          </ul>
        )}
        {errors.length === 0 && dryRun.kind === 'refused' ? (
          <p className="body mono" role="alert">
            {dryRun.message}
          </p>
        ) : null}
        {dryRun.kind === 'fits' && dryRun.conflicts.length > 0 ? (
          <p className="body dim">
            Takes over{' '}
            {dryRun.conflicts.slice(0, 5).map(({ field, manager }, at) => (
              <span key={field}>
                {at > 0 ? ', ' : ''}
                <code className="mono">{field}</code> from {manager}
              </span>
            ))}
            {dryRun.conflicts.length > 5 ? ` and ${dryRun.conflicts.length - 5} more` : ''}.
          </p>
        ) : null}
      </section>
      <section className="panel" aria-label="Changes">
        <header>
          <h2>{isNew ? 'What is created' : 'What changes'}</h2>
          <span className="dim">dry run by the API server</span>
        </header>
        {dryRun.kind === 'fits' ? (
          <Changes original={original} after={dryRun.objects.map(textOf).join('---\n')} />
        ) : (
          <p className="empty">{errors.length > 0 ? 'First correct the errors.' : 'Waiting for the dry run.'}</p>
        )}
      </section>
      {dryRun.kind === 'fits' && dryRun.objects.map(textOf).join('---\n') !== original ? (
        <PlanPanel objects={dryRun.objects} />
      ) : null}
    </div>
  );
}

function Changes({ original, after }: { readonly original: string; readonly after: string }) {
  return original === after ? (
    <p className="empty">Nothing changes.</p>
  ) : (
    <DiffView before={original} after={after} label="Changes" />
  );
}

function verdict(errors: number, dryRun: DryRun) {
  if (errors > 0)
    return (
      <span className="state bad">
        ✕ {errors} {errors === 1 ? 'error' : 'errors'}
      </span>
    );
  if (dryRun.kind === 'refused') return <span className="state bad">✕ Refused</span>;
  if (dryRun.kind === 'fits') return <span className="state ok">✓ Accepted</span>;
  return <span className="state">– Checking</span>;
}

function lineOf(text: string, { from }: Finding): number {
  return text.slice(0, from).split('\n').length;
}
