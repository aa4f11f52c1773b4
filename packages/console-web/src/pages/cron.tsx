import { Link } from 'wouter';
import { stateOf } from '../format/object-state.ts';
import { useLive } from '../live/use-live.ts';
import { RelativeTime, useNow } from '../parts/relative-time.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { ObjectPage } from './object-page.tsx';

/** One RayCronJob: its schedule and the RayJobs that it created, newest first. */
export function CronPage({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  const { objects } = useLive();
  const now = useNow();
  return (
    <ObjectPage kind="RayCronJob" namespace={namespace} name={name} now={now} relatedUids={[]}>
      {(object) => {
        const { spec, status, metadata } = object;
        const runs = [...objects.RayJob.values()]
          .filter((job) => job.metadata?.ownerReferences?.some(({ uid }) => uid === metadata?.uid) === true)
          .toSorted((left, right) =>
            (right.metadata?.creationTimestamp ?? '').localeCompare(left.metadata?.creationTimestamp ?? ''),
          );
        return (
          <>
            <div className="cards">
              <div className="card">
                <span className="dim">Schedule</span>
                <b className="mono">{spec?.schedule}</b>
                <span className="dim">{spec?.timeZone ?? "the operator's time zone"}</span>
              </div>
              <div className="card">
                <span className="dim">Last scheduled</span>
                <b>
                  <RelativeTime at={status?.lastScheduleTime} now={now} />
                </b>
              </div>
              <div className="card">
                <span className="dim">Runs kept</span>
                <b>{runs.length}</b>
              </div>
            </div>
            <section className="panel">
              <header>
                <h2>Runs</h2>
              </header>
              {runs.length === 0 ? (
                <p className="empty">The schedule has not created a RayJob yet.</p>
              ) : (
                <table>
                  <tbody>
                    {runs.map((job) => (
                      <tr key={job.metadata?.uid}>
                        <td>
                          <Link href={`/jobs/${namespace}/${job.metadata?.name ?? ''}`}>{job.metadata?.name}</Link>
                        </td>
                        <td>
                          <StateBadge state={stateOf('RayJob', job)} />
                        </td>
                        <td className="dim num">
                          <RelativeTime at={job.metadata?.creationTimestamp} now={now} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )}
            </section>
          </>
        );
      }}
    </ObjectPage>
  );
}
