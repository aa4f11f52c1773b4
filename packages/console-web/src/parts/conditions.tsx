import type { Condition } from '@manta/api';
import { RelativeTime } from './relative-time.tsx';

/** The conditions of an object, the most recent change first. */
export function Conditions({ conditions, now }: { readonly conditions: readonly Condition[]; readonly now: number }) {
  const sorted = conditions.toSorted((left, right) =>
    (right.lastTransitionTime ?? '').localeCompare(left.lastTransitionTime ?? ''),
  );
  return (
    <section className="panel">
      <header>
        <h2>Conditions</h2>
      </header>
      {sorted.length === 0 ? (
        <p className="empty">The operator has not written any condition yet.</p>
      ) : (
        <table>
          <tbody>
            {sorted.map(({ type, status, reason, message, lastTransitionTime }) => (
              <tr key={type}>
                <td>
                  <b>{type}</b> {status === 'True' ? 'yes' : status === 'False' ? 'no' : 'unknown'}
                  <div className="dim">{message === '' ? reason : message}</div>
                </td>
                <td className="dim num">
                  <RelativeTime at={lastTransitionTime} now={now} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
