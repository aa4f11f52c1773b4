import { readdirSync, readFileSync } from 'node:fs';
import type { EventLoopLag, ProcessMetricsOptions, ProcessReading } from './process.ts';

/** Ten native wake-ups a second: fine enough to see a stall, cheap enough for an idle operator. */
const LAG_RESOLUTION_MS = 100;

/** This process as the machine sees it, for `registerProcessMetrics`. */
export function thisProcess(): ProcessMetricsOptions {
  const startTimeSeconds = Date.now() / 1000 - process.uptime();
  return { startTimeSeconds, nodeVersion: process.version, read: readProcess, readLag: watchLag() };
}

function readProcess(): ProcessReading {
  const cpu = process.cpuUsage();
  const memory = process.memoryUsage();
  return {
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    residentBytes: memory.rss,
    heapTotalBytes: memory.heapTotal,
    heapUsedBytes: memory.heapUsed,
    externalBytes: memory.external,
    eventLoopUtilization: performance.eventLoopUtilization().utilization,
    virtualBytes: where(() => Number(readFileSync('/proc/self/statm', 'latin1').split(' ')[0]) * 4096),
    openFds: where(() => readdirSync('/proc/self/fd').length - 1),
    maxFds: where(() => parseMaxFds(readFileSync('/proc/self/limits', 'latin1'))),
  };
}

/** The soft limit of open files in the text of /proc/self/limits; `unlimited` is what client_golang reports as the largest int. */
export function parseMaxFds(limits: string): number | undefined {
  const found = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (found === undefined) return undefined;
  return found === 'unlimited' ? 2 ** 63 : Number(found);
}

function where<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function watchLag(): () => EventLoopLag {
  const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
  const histogram = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  histogram.enable();
  const seconds = (nanos: number) => (Number.isFinite(nanos) ? Math.max(0, nanos / 1e9 - LAG_RESOLUTION_MS / 1000) : 0);
  return () => {
    const isEmpty = histogram.count === 0;
    const lag = isEmpty
      ? { mean: 0, max: 0, p99: 0 }
      : { mean: seconds(histogram.mean), max: seconds(histogram.max), p99: seconds(histogram.percentile(99)) };
    histogram.reset();
    return lag;
  };
}
