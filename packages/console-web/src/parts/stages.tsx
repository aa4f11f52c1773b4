import type { Pod, RayJob } from '@manta/api';
import { duration } from '../format/duration.ts';
import { stagesOf } from '../format/job-stages.ts';

/** Where the time of a job's last attempt went. */
export function Stages({
  job,
  pods,
  now,
}: {
  readonly job: RayJob;
  readonly pods: readonly Pod[];
  readonly now: number;
}) {
  const stages = stagesOf(job, pods, now);
  const from = Math.min(...stages.map(({ fromMs }) => fromMs));
  const to = Math.max(...stages.map(({ toMs }) => toMs));
  const share = (ms: number) => `${(100 * ms) / Math.max(1, to - from)}%`;
  const { attempts = [] } = job.status ?? {};
  return (
    <section className="panel">
      <header>
        <h2>Stages</h2>
        <span className="dim">
          {stages.length === 0
            ? ''
            : `${attempts.length > 1 ? `attempt ${attempts.length} · ` : ''}${duration(to - from)}`}
        </span>
      </header>
      {stages.length === 0 ? (
        <p className="empty">The operator has not started this job yet.</p>
      ) : (
        <div className="body stages">
          {stages.map(({ title, fromMs, toMs, tone }) => (
            <div key={title} className="stage">
              <span className="t">{title}</span>
              <div className="bar">
                <i className={tone} style={{ left: share(fromMs - from), width: share(toMs - fromMs) }} />
              </div>
              <span className="d">{duration(toMs - fromMs)}</span>
            </div>
          ))}
        </div>
      )}
    </section>
  );
}
