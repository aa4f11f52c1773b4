/** What code that measures sees; `Registry` hands these out and writes them as Prometheus text. */
export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(labels: Labels, amount?: number): void;
  /** Removes every series whose labels include all of these: their subject no longer exists. */
  remove(labels: Labels): void;
}

export interface Gauge {
  set(labels: Labels, value: number): void;
  add(labels: Labels, amount: number): void;
  /** Removes every series whose labels include all of these. */
  remove(labels: Labels): void;
}

export interface Histogram {
  observe(labels: Labels, value: number): void;
}

export interface MetricsRegistry {
  /** Asking twice for one name gives the same instrument. */
  counter(name: string, help: string): Counter;
  gauge(name: string, help: string): Gauge;
  histogram(name: string, help: string, buckets: readonly number[]): Histogram;
  /** Called at each scrape, before the text is made, to bring gauges up to date. */
  onScrape(collect: () => void): void;
  /** Prometheus text format 0.0.4. */
  text(): string;
}
