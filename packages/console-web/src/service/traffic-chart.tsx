import type { TrafficSample } from './traffic-history.ts';

const WIDTH = 600;
const HEIGHT = 120;

/** Shares of the old and the new cluster as steps over time. */
export function TrafficChart({ samples, now }: { readonly samples: readonly TrafficSample[]; readonly now: number }) {
  const from = Math.min(...samples.map(({ atMs }) => atMs));
  const span = Math.max(1000, now - from);
  const x = (atMs: number) => (WIDTH * (atMs - from)) / span;
  const y = (percent: number) => HEIGHT - 4 - ((HEIGHT - 8) * percent) / 100;
  const line = (of: (percent: number) => number) => {
    const steps = samples.map(({ atMs, percent }, at) =>
      at === 0 ? `M0 ${y(of(percent))}` : `H${x(atMs)} V${y(of(percent))}`,
    );
    return `${steps.join(' ')} H${WIDTH}`;
  };
  const last = samples.at(-1)?.percent ?? 0;
  return (
    <svg
      className="traffic"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Traffic over time: ${last} percent on the new cluster now`}
    >
      {[0, 25, 50, 75, 100].map((percent) => (
        <line key={percent} x1="0" x2={WIDTH} y1={y(percent)} y2={y(percent)} />
      ))}
      <path className="fill" d={`${line((percent) => percent)} V${HEIGHT} H0 Z`} />
      <path className="old" d={line((percent) => 100 - percent)} />
      <path className="new" d={line((percent) => percent)} />
    </svg>
  );
}
