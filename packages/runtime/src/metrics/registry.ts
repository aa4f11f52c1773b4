import { formatGoFloat } from './go-float.ts';
import type { Counter, Gauge, Histogram, MetricsRegistry } from './instruments.ts';
import { SeriesTable } from './series.ts';
import type { HistogramCell, NumberCell } from './text.ts';
import { labelText, writeHead, writeHistogram, writeNumber } from './text.ts';

interface Family<I> {
  readonly instrument: I;
  write(out: string[]): void;
}

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** Keeps metrics and writes them as text. A metric shows up once it has a series; misuse (bad name, two types) throws where it is made. */
export function createMetricsRegistry(): MetricsRegistry {
  const counters = new Map<string, Family<Counter>>();
  const gauges = new Map<string, Family<Gauge>>();
  const histograms = new Map<string, Family<Histogram>>();
  /** Name to what it was made as: type and bucket bounds. */
  const shapes = new Map<string, string>();
  const collectors: (() => void)[] = [];

  function instrument<I>(known: Map<string, Family<I>>, name: string, shape: string, make: () => Family<I>): I {
    const existing = shapes.get(name) ?? shape;
    if (existing !== shape) throw new TypeError(`the metric ${name} is a ${existing} already, not a ${shape}`);
    const found = known.get(name);
    if (found !== undefined) return found.instrument;
    if (!METRIC_NAME.test(name)) throw new TypeError(`"${name}" is not a Prometheus metric name`);
    const made = make();
    shapes.set(name, shape);
    known.set(name, made);
    return made.instrument;
  }

  return {
    counter: (name, help) => instrument(counters, name, 'counter', () => counterFamily(name, help)),
    gauge: (name, help) => instrument(gauges, name, 'gauge', () => gaugeFamily(name, help)),
    histogram: (name, help, buckets) =>
      instrument(histograms, name, `histogram of [${buckets.join()}]`, () => histogramFamily(name, help, buckets)),
    onScrape: (collect) => void collectors.push(collect),
    text() {
      for (const collect of collectors) collect();
      const out: string[] = [];
      for (const name of [...shapes.keys()].toSorted()) {
        const family = counters.get(name) ?? gauges.get(name) ?? histograms.get(name);
        family?.write(out);
      }
      return out.length === 0 ? '' : `${out.join('\n')}\n`;
    },
  };
}

function counterFamily(name: string, help: string): Family<Counter> {
  const table = new SeriesTable<NumberCell>('', () => ({ value: 0 }));
  const instrument: Counter = {
    add(labels, amount = 1) {
      if (!(amount >= 0)) throw new RangeError(`the counter ${name} cannot go down (${amount})`);
      table.get(labels).value += amount;
    },
    remove: (labels) => table.remove(labels),
  };
  return { instrument, write: (out) => writeNumbers(out, name, help, 'counter', table) };
}

function gaugeFamily(name: string, help: string): Family<Gauge> {
  const table = new SeriesTable<NumberCell>('', () => ({ value: 0 }));
  const instrument: Gauge = {
    set: (labels, value) => void (table.get(labels).value = value),
    add: (labels, amount) => void (table.get(labels).value += amount),
    remove: (labels) => table.remove(labels),
  };
  return { instrument, write: (out) => writeNumbers(out, name, help, 'gauge', table) };
}

function writeNumbers(
  out: string[],
  name: string,
  help: string,
  type: 'counter' | 'gauge',
  table: SeriesTable<NumberCell>,
): void {
  const all = table.sorted();
  if (all.length > 0) writeHead(out, name, help, type);
  for (const series of all) writeNumber(out, name, labelText(table.names, series), series.data);
}

function histogramFamily(name: string, help: string, buckets: readonly number[]): Family<Histogram> {
  const isAscending = buckets.every((bound, at) => at === 0 || bound > (buckets[at - 1] ?? bound));
  if (!isAscending) throw new TypeError(`the buckets of ${name} are not in ascending order`);
  const finite = buckets.filter((bound) => bound !== Number.POSITIVE_INFINITY);
  const bounds = [...finite.map(formatGoFloat), '+Inf'];
  const table = new SeriesTable<HistogramCell>('le', () => ({ counts: new Float64Array(bounds.length), sum: 0 }));
  const instrument: Histogram = {
    observe(labels, value) {
      const cell = table.get(labels);
      const at = bucketOf(finite, value);
      cell.counts[at] = (cell.counts[at] ?? 0) + 1;
      cell.sum += value;
    },
  };
  const write = (out: string[]) => {
    const all = table.sorted();
    if (all.length > 0) writeHead(out, name, help, 'histogram');
    for (const series of all) writeHistogram(out, name, labelText(table.names, series), series.data, bounds);
  };
  return { instrument, write };
}

/** The first bucket whose bound is not below `value`; NaN counts as above all. */
function bucketOf(bounds: readonly number[], value: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value <= (bounds[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}
