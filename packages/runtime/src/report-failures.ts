import { failureCounts, onFailure } from '@manta/base';
import type { Logger } from './logger.ts';
import type { MetricsRegistry } from './metrics/instruments.ts';

/** Logs what guards caught and shows the counts in metrics, until the returned function is called. */
export function reportFailures(log: Logger, metrics: MetricsRegistry): () => void {
  const total = metrics.counter(
    'manta_unexpected_errors_total',
    'Exceptions that ended one connection or one attempt instead of the process, by the part of the program.',
  );
  const shown = new Map<string, number>();
  metrics.onScrape(() => {
    for (const [place, count] of failureCounts()) {
      const added = count - (shown.get(place) ?? 0);
      if (added > 0) total.add({ place }, added);
      shown.set(place, count);
    }
  });
  return onFailure(({ place, error, unreported }) =>
    log.error('Unexpected error', error, { place, ...(unreported === 0 ? {} : { unreported }) }),
  );
}
