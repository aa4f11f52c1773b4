import { Label } from '@manta/api';
import { Link } from 'wouter';
import { hourOf, dayOf, upcoming } from '../cron/calendar.ts';
import { RunCalendar } from '../cron/run-calendar.tsx';
import { ago, duration } from '../format/duration.ts';
import { stateOf } from '../format/object-state.ts';
import { pagePath } from '../live/pages.ts';
import { useLive } from '../live/use-live.ts';
import { Facts } from '../parts/facts.tsx';
import { RelativeTime, useNow } from '../parts/relative-time.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { ObjectPage } from './object-page.tsx';

const YEAR_MS = 366 * 86_400_000;

/** One RayCronJob: its schedule as a calendar, and the RayJobs that it created, newest first. */
export function CronPage({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  const { objects } = useLive();
  const now = useNow();
  return (
    <ObjectPage kind="RayCronJob" namespace={namespace} name={name} now={now} relatedUids={[]}>
      {(object) => {
        const { spec, status, metadata } = object;
        const runs = [...objects.RayJob.values()]
          .filter(
            (job) =>
              job.metadata?.namespace === namespace &&
              (job.metadata.labels?.[Label.CronJobName] === name ||
                job.metadata.ownerReferences?.some(({ uid }) => uid === metadata?.uid) === true),
          )
          .toSorted((left, right) =>
            (right.metadata?.creationTimestamp ?? '').localeCompare(left.metadata?.creationTimestamp ?? ''),
          );
        const found = upcoming(object, now, now + YEAR_MS);
        const next = found.kind === 'times' ? found.times[0] : undefined;
        return (
          <>
            <Facts
              facts={[
                [
                  'Schedule',
                  <code key="schedule" className="mono">
                    {spec?.schedule}
                  </code>,
                ],
                ['Time zone', spec?.timeZone ?? 'of the operator'],
                [
                  'Next',
                  next === undefined || found.kind === 'none'
                    ? 'none'
                    : `${dayOf(found.zone, next)} ${hourOf(found.zone, next)}, ${ago(next, now)}`,
                ],
                ['Last', <RelativeTime key="last" at={status?.lastScheduleTime} now={now} />],
                ['Overlap', spec?.concurrencyPolicy ?? 'Allow'],
              ]}
            />
            <RunCalendar cron={object} runs={runs} now={now} />
            <section className="panel">
              <header>
                <h2>Runs</h2>
                <span className="dim">{runs.length} kept</span>
              </header>
              {runs.length === 0 ? (
                <p className="empty">The schedule has not created a RayJob yet.</p>
              ) : (
                <table>
                  <thead>
                    <tr>
                      <th>Job</th>
                      <th>State</th>
                      <th className="num">Took</th>
                      <th className="num">Created</th>
                    </tr>
                  </thead>
                  <tbody>
                    {runs.slice(0, 50).map((job) => (
                      <tr key={job.metadata?.uid}>
                        <td>
                          <Link href={pagePath('RayJob', namespace, job.metadata?.name ?? '')}>
                            {job.metadata?.name}
                          </Link>
                        </td>
                        <td>
                          <StateBadge state={stateOf('RayJob', job)} />
                        </td>
                        <td className="num">
                          {job.status?.startTime === undefined
                            ? '–'
                            : duration(
                                (job.status.endTime === undefined ? now : Date.parse(job.status.endTime)) -
                                  Date.parse(job.status.startTime),
                              )}
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
