import { attempt } from '@manta/base';
import { expect, it, vi } from 'vitest';
import { silentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { reportFailures } from './report-failures.ts';

it('logs failures that guards caught, and counts them by place', () => {
  const metrics = createMetricsRegistry();
  const error = vi.fn<typeof silentLogger.error>();
  const stop = reportFailures({ ...silentLogger, error }, metrics);
  const fail = () => {
    throw new Error('boom');
  };
  attempt('a place', undefined, fail);
  attempt('a place', undefined, fail);
  expect(metrics.text()).toContain('manta_unexpected_errors_total{place="a place"} 2');
  expect(metrics.text()).toContain('manta_unexpected_errors_total{place="a place"} 2');
  expect(error).toHaveBeenCalledWith('Unexpected error', expect.any(Error), { place: 'a place' });
  stop();
  const again = onlyCounted(fail);
  expect(error).toHaveBeenCalledTimes(2);
  expect(again).toBe(true);
});

/** With no listener left, a failure goes to stderr. */
function onlyCounted(fail: () => never): boolean {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  attempt('a place', undefined, fail);
  const wasWritten = write.mock.calls.some(([text]) => String(text).includes('boom'));
  write.mockRestore();
  return wasWritten;
}
