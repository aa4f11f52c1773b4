import type { MetricsRegistry } from './instruments.ts';

/** What a scrape wants to know of this process; {@link readProcess} asks the machine, tests bring numbers. */
export interface ProcessReading {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly heapTotalBytes: number;
  readonly heapUsedBytes: number;
  readonly externalBytes: number;
  /** Share of time the event loop was busy since the start, 0 to 1. */
  readonly eventLoopUtilization: number;
  /** Only where /proc is: virtual memory, open and allowed file descriptors. */
  readonly virtualBytes?: number | undefined;
  readonly openFds?: number | undefined;
  readonly maxFds?: number | undefined;
}

/** How late timers came since the last call, in seconds. */
export interface EventLoopLag {
  readonly mean: number;
  readonly max: number;
  readonly p99: number;
}

export interface ProcessMetricsOptions {
  readonly startTimeSeconds: number;
  readonly nodeVersion: string;
  readonly read: () => ProcessReading;
  readonly readLag: () => EventLoopLag;
}

/**
 * Registers client_golang's `process_*` names: process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes,
 * process_start_time_seconds, process_open_fds, process_max_fds. In place of `go_*` there is what Node has, under the names its
 * dashboards use: nodejs_version_info{version}, nodejs_heap_size_total_bytes, nodejs_heap_size_used_bytes,
 * nodejs_external_memory_bytes, nodejs_eventloop_utilization, nodejs_eventloop_lag_{mean,max,p99}_seconds (since the last scrape).
 */
export function registerProcessMetrics(metrics: MetricsRegistry, options: ProcessMetricsOptions): void {
  const gauge = (name: string, help: string) => {
    const made = metrics.gauge(name, help);
    return (value: number | undefined) => (value === undefined ? undefined : made.set({}, value));
  };
  const cpu = metrics.counter('process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.');
  const resident = gauge('process_resident_memory_bytes', 'Resident memory size in bytes.');
  const virtual = gauge('process_virtual_memory_bytes', 'Virtual memory size in bytes.');
  const openFds = gauge('process_open_fds', 'Number of open file descriptors.');
  const maxFds = gauge('process_max_fds', 'Maximum number of open file descriptors.');
  const heapTotal = gauge('nodejs_heap_size_total_bytes', 'Size of the JavaScript heap in bytes.');
  const heapUsed = gauge('nodejs_heap_size_used_bytes', 'Used part of the JavaScript heap in bytes.');
  const external = gauge('nodejs_external_memory_bytes', 'Memory of buffers outside the JavaScript heap in bytes.');
  const utilization = gauge('nodejs_eventloop_utilization', 'Share of time the event loop was busy since the start.');
  const lagMean = gauge('nodejs_eventloop_lag_mean_seconds', 'Mean lateness of timers since the last scrape.');
  const lagMax = gauge('nodejs_eventloop_lag_max_seconds', 'Greatest lateness of timers since the last scrape.');
  const lagP99 = gauge(
    'nodejs_eventloop_lag_p99_seconds',
    '99th percentile of the lateness of timers since the last scrape.',
  );
  gauge(
    'process_start_time_seconds',
    'Start time of the process since unix epoch in seconds.',
  )(options.startTimeSeconds);
  metrics.gauge('nodejs_version_info', 'Node.js version.').set({ version: options.nodeVersion }, 1);

  let cpuSeconds = 0;
  metrics.onScrape(() => {
    const now = options.read();
    cpu.add({}, Math.max(0, now.cpuSeconds - cpuSeconds));
    cpuSeconds = Math.max(cpuSeconds, now.cpuSeconds);
    resident(now.residentBytes);
    virtual(now.virtualBytes);
    openFds(now.openFds);
    maxFds(now.maxFds);
    heapTotal(now.heapTotalBytes);
    heapUsed(now.heapUsedBytes);
    external(now.externalBytes);
    utilization(now.eventLoopUtilization);
    const lag = options.readLag();
    lagMean(lag.mean);
    lagMax(lag.max);
    lagP99(lag.p99);
  });
}
