/** Traffic of the new cluster at one moment, in percent. */
export interface TrafficSample {
  readonly atMs: number;
  readonly percent: number;
}

const MAX_SAMPLES = 500;
/** By the service's uid and the pending cluster; it lives as long as the page, so that it survives going to another view. */
const histories = new Map<string, readonly TrafficSample[]>();

/** What the page has seen of an upgrade's traffic, with the present value at its end. */
export function recordTraffic(key: string, sample: TrafficSample): readonly TrafficSample[] {
  const known = histories.get(key) ?? [];
  if (known.at(-1)?.percent === sample.percent) return known;
  const next = [...known, sample].slice(-MAX_SAMPLES);
  histories.set(key, next);
  return next;
}
