import type { WorldEvent } from '@manta/insight';
import { useLive } from '../live/use-live.ts';
import { RelativeTime } from './relative-time.tsx';

/** The events of some objects, newest first. */
export function EventTable({ uids, now }: { readonly uids: ReadonlySet<string>; readonly now: number }) {
  const { objects } = useLive();
  const events = [...objects.Event.values()]
    .filter(({ regarding }) => uids.has(regarding?.uid ?? ''))
    .toSorted((left, right) => timeOf(right).localeCompare(timeOf(left)))
    .slice(0, 100);
  if (events.length === 0) return <p className="empty">No events. Kubernetes keeps events for an hour.</p>;
  return (
    <table>
      <thead>
        <tr>
          <th>When</th>
          <th>Reason</th>
          <th>Message</th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <tr key={event.metadata?.uid ?? event.metadata?.name}>
            <td className="dim">
              <RelativeTime at={timeOf(event)} now={now} />
            </td>
            <td>
              <span className={event.type === 'Warning' ? 'state warn' : 'state'}>
                {event.type === 'Warning' ? '! ' : ''}
                {event.reason}
              </span>
            </td>
            <td>{event.note}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function timeOf({ series, eventTime, deprecatedLastTimestamp, metadata }: WorldEvent): string {
  return series?.lastObservedTime ?? eventTime ?? deprecatedLastTimestamp ?? metadata?.creationTimestamp ?? '';
}
