import { loadTimeZone, type RayCronJob, type RayJob, type TimeZone, UTC } from '@manta/api';
import { Link } from 'wouter';
import { ICONS, stateOf } from '../format/object-state.ts';
import { pagePath } from '../live/pages.ts';
import { dayOf, hourOf, upcoming } from './calendar.ts';

const DAY_MS = 86_400_000;
const DAYS_BEFORE = 7;
const DAYS_AFTER = 6;
const SHOWN = 4;

interface Entry {
  readonly atMs: number;
  readonly job?: RayJob;
}

/** Two weeks of a schedule: the runs that were, and the times to come. */
export function RunCalendar({
  cron,
  runs,
  now,
}: {
  readonly cron: RayCronJob;
  readonly runs: readonly RayJob[];
  readonly now: number;
}) {
  const found = upcoming(cron, now, now + (DAYS_AFTER + 1) * DAY_MS);
  const zone = zoneOf(cron);
  const days = Array.from({ length: DAYS_BEFORE + DAYS_AFTER + 1 }, (_, at) => now + (at - DAYS_BEFORE) * DAY_MS);
  const entries: readonly Entry[] = [
    ...runs.map((job) => ({ atMs: Date.parse(job.metadata?.creationTimestamp ?? ''), job })),
    ...(found.kind === 'times' ? found.times.map((atMs) => ({ atMs })) : []),
  ].toSorted((a, b) => a.atMs - b.atMs);
  const byDay = Map.groupBy(entries, ({ atMs }) => dayOf(zone, atMs));
  return (
    <section className="panel" aria-label="Calendar">
      <header>
        <h2>Calendar</h2>
        <span className="dim">{found.kind === 'none' ? found.why : `times in ${zone.name}`}</span>
      </header>
      <ol className="calendar">
        {days.map((dayMs) => {
          const day = dayOf(zone, dayMs);
          return (
            <li key={day} aria-current={day === dayOf(zone, now) ? 'date' : undefined}>
              <span className="date">{title(dayMs, zone)}</span>
              <DayEntries entries={byDay.get(day) ?? []} zone={zone} now={now} />
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function DayEntries({
  entries,
  zone,
  now,
}: {
  readonly entries: readonly Entry[];
  readonly zone: TimeZone;
  readonly now: number;
}) {
  // Of a crowded day, the entries around now are shown.
  const first = Math.max(0, Math.min(entries.findIndex(({ atMs }) => atMs > now) - 2, entries.length - SHOWN));
  const shown = entries.slice(first, first + SHOWN);
  return (
    <>
      {shown.map(({ atMs, job }) => {
        const time = hourOf(zone, atMs);
        if (job === undefined)
          return (
            <span key={atMs} className="run next">
              ○ {time}
            </span>
          );
        const state = stateOf('RayJob', job);
        return (
          <Link
            key={job.metadata?.uid}
            className={`run ${state.tone}`}
            href={pagePath('RayJob', job.metadata?.namespace ?? '', job.metadata?.name ?? '')}
            title={`${job.metadata?.name ?? ''}: ${state.word}`}
          >
            {ICONS[state.tone]} {time} <span className="word">{state.word}</span>
          </Link>
        );
      })}
      {entries.length > shown.length ? <span className="dim small">{entries.length - shown.length} more</span> : null}
    </>
  );
}

function zoneOf({ spec }: RayCronJob): TimeZone {
  const zone = loadTimeZone(spec?.timeZone ?? 'UTC');
  return zone.ok ? zone.value : UTC;
}

function title(ms: number, zone: TimeZone): string {
  const [year = 0, month = 1, day = 1] = dayOf(zone, ms).split('-').map(Number);
  return new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    Date.UTC(year, month - 1, day),
  );
}
