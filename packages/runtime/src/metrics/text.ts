import { formatGoFloat } from './go-float.ts';
import type { Series } from './series.ts';

/** What a scrape answers with as `Content-Type`. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type MetricType = 'counter' | 'gauge' | 'histogram';

/** A counter's or gauge's state. */
export interface NumberCell {
  value: number;
}

/** A histogram's state: observations per bucket, not yet cumulated; the last one has what exceeds every bound. */
export interface HistogramCell {
  readonly counts: Float64Array;
  sum: number;
}

/** The two comment lines that open a metric. */
export function writeHead(out: string[], name: string, help: string, type: MetricType): void {
  out.push(`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`);
}

export function writeNumber(out: string[], name: string, labels: string, cell: NumberCell): void {
  out.push(`${name}${labels === '' ? '' : `{${labels}}`} ${formatGoFloat(cell.value)}`);
}

export function writeHistogram(
  out: string[],
  name: string,
  labels: string,
  cell: HistogramCell,
  bounds: readonly string[],
): void {
  const prefix = `${name}_bucket{${labels === '' ? '' : `${labels},`}le="`;
  const suffix = labels === '' ? '' : `{${labels}}`;
  let total = 0;
  for (const [at, bound] of bounds.entries()) {
    total += cell.counts[at] ?? 0;
    out.push(`${prefix}${bound}"} ${formatGoFloat(total)}`);
  }
  out.push(`${name}_sum${suffix} ${formatGoFloat(cell.sum)}`, `${name}_count${suffix} ${formatGoFloat(total)}`);
}

/** `a="1",b="2"`: a series' labels without the braces. */
export function labelText(names: readonly string[], series: Series<unknown>): string {
  return (series.labelText ??= names
    .map((name, at) => `${name}="${escapeLabelValue(series.values[at] ?? '')}"`)
    .join(','));
}

function escapeHelp(text: string): string {
  return text.toWellFormed().replace(/[\\\n]/g, (found) => (found === '\n' ? '\\n' : '\\\\'));
}

function escapeLabelValue(value: string): string {
  if (!/[\\\n"\ud800-\udfff]/.test(value)) return value;
  return value.toWellFormed().replace(/[\\\n"]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
}
