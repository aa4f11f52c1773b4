import { describe, expect, test } from 'vitest';
import { registerProcessMetrics } from './process.ts';
import { parseMaxFds, thisProcess } from './read-process.ts';
import { createMetricsRegistry } from './registry.ts';

const NAMES = [
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'process_start_time_seconds',
  'nodejs_heap_size_used_bytes',
  'nodejs_eventloop_utilization',
  'nodejs_eventloop_lag_p99_seconds',
];
const LINUX_NAMES = ['process_virtual_memory_bytes', 'process_open_fds', 'process_max_fds'];

describe('process metrics', () => {
  test('tell of this process on this machine', () => {
    const metrics = createMetricsRegistry();
    registerProcessMetrics(metrics, thisProcess());
    const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(metrics.text())?.[1]);
    const expected = process.platform === 'linux' ? [...NAMES, ...LINUX_NAMES] : NAMES;
    for (const name of expected) expect(value(name)).toBeGreaterThanOrEqual(0);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(10e6);
    expect(value('process_start_time_seconds')).toBeLessThan(Date.now() / 1000);
    expect(metrics.text()).toContain(`nodejs_version_info{version="${process.version}"} 1`);
  });

  test('CPU time only grows, even when the machine reports less', () => {
    const metrics = createMetricsRegistry();
    const readings = [3, 2, 5];
    const read = () => ({ ...thisProcess().read(), cpuSeconds: readings.shift() ?? 0 });
    registerProcessMetrics(metrics, { ...thisProcess(), read });
    const seen = [1, 2, 3].map(() => /^process_cpu_seconds_total (.*)$/m.exec(metrics.text())?.[1]);
    expect(seen).toEqual(['3', '3', '5']);
  });

  test('a machine without /proc leaves out what it cannot know', () => {
    const metrics = createMetricsRegistry();
    const here = thisProcess();
    registerProcessMetrics(metrics, { ...here, read: () => ({ ...here.read(), openFds: undefined }) });
    expect(metrics.text()).not.toContain('process_open_fds');
  });

  test('the limit of open files is the soft one', () => {
    const line = 'Max open files            1024                 524288               files     ';
    expect(parseMaxFds(`Limit  Soft Limit\n${line}\n`)).toBe(1024);
    expect(parseMaxFds('nothing here')).toBeUndefined();
  });
});
