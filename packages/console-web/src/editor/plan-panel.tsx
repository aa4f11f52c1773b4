import { type ObjectPreview, preview } from '@manta/insight';
import { useDeferredValue, useMemo } from 'react';
import { parse } from 'yaml';
import { useLive } from '../live/use-live.ts';
import { worldOf } from '../live/world.ts';
import type { Manifest } from './findings.ts';

/** What the operator would do after an apply: its own planners run on a copy of what the viewer sees. */
export function PlanPanel({ objects }: { readonly objects: readonly Manifest[] }) {
  const live = useLive();
  const settled = useDeferredValue(objects);
  // The plan is about the text: it is not made again for every change in the cluster.
  const result = useMemo(() => {
    try {
      return preview(worldOf(live, Date.now()), settled, { parseYaml: parse, mode: 'replace' }).objects;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
  }, [settled]);
  return (
    <section className="panel" aria-label="Plan">
      <header>
        <h2>What the operator then does</h2>
        <span className="dim">by its own planners</span>
      </header>
      {typeof result === 'string' ? (
        <p className="empty">{result}</p>
      ) : (
        result.map((each) => <ObjectPlan key={`${each.ref.kind}/${each.ref.name}`} plan={each} />)
      )}
    </section>
  );
}

function ObjectPlan({ plan }: { readonly plan: ObjectPreview }) {
  const { verdict, problems, steps, pods, resources, downtime, ignored } = plan;
  if (verdict === 'nothing') return <p className="empty">Nothing: the operator has nothing to change.</p>;
  return (
    <div className="body groups">
      {problems.map((each) => (
        <p key={each} className="problem">
          ✕ {each}
        </p>
      ))}
      <span>
        <Impact downtime={downtime} />
      </span>
      {steps.length === 0 && pods.length === 0 && problems.length === 0 ? (
        <p className="dim lead">The operator does nothing now: the change counts for later.</p>
      ) : null}
      {steps.length === 0 ? null : (
        <ol className="plain">
          {steps.slice(0, 20).map(({ text }, at) => (
            <li key={`${at}/${text}`}>{text}</li>
          ))}
          {steps.length > 20 ? <li>and {steps.length - 20} more steps</li> : null}
        </ol>
      )}
      {pods.map(({ cluster, group, created, deleted, replaced, kept, why }) => (
        <div key={`${cluster}/${group}`} className="small">
          <b>{group}</b> <span className="dim">{cluster}</span>
          <div className="dim">
            {[
              [created, 'created'],
              [replaced, 'replaced'],
              [deleted, 'deleted'],
              [kept, 'kept'],
            ]
              .filter(([count]) => count !== 0)
              .map(([count, word]) => `${count} ${word}`)
              .join(', ')}
            {why === undefined ? '' : `: ${why}`}
          </div>
        </div>
      ))}
      {resources.length === 0 ? null : (
        <p className="dim small lead">
          {resources
            .map(
              ({ resource, before, peak, after }) =>
                `${resource} ${before} → ${after}${peak === after || peak === before ? '' : ` (at most ${peak})`}`,
            )
            .join(' · ')}
        </p>
      )}
      {ignored.map(({ path, why }) => (
        <p key={path} className="dim small lead">
          <code className="mono">{path}</code>: {why}
        </p>
      ))}
    </div>
  );
}

function Impact({ downtime }: { readonly downtime: ObjectPreview['downtime'] }) {
  if (downtime.kind === 'none') return <span className="state ok">✓ No interruption</span>;
  return (
    <>
      <span className={downtime.kind === 'stopped' ? 'state bad' : 'state warn'}>
        ! {downtime.kind === 'stopped' ? 'Service ends' : 'Interruption'}
      </span>{' '}
      {downtime.why}
    </>
  );
}
