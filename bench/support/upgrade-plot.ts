import { quantile, type Sample } from '../../tests/e2e/upgrades/open-load.ts';
import type { Report, Upgrade } from '../../tests/e2e/upgrades/run-upgrades.ts';

const WIDTH = 1100;
const LEFT = 60;
const RIGHT = 20;
const PANEL = 130;
const GAP = 34;
const TOP = 40;
const BIN_MS = 2000;

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly max: number;
  readonly lines: readonly Line[];
}

interface Line {
  readonly label: string;
  readonly color: string;
  /** Drawn as steps, for what changes at once and stays. */
  readonly isStepped?: boolean;
  readonly points: readonly (readonly [ms: number, value: number])[];
}

/** Requests, losses, weights and latency over time, as an SVG that needs nothing else. */
export function plotUpgrades({ upgrades, samples, shares }: Report): string {
  const endMs = Math.max(...samples.map(({ at }) => at), 1);
  const bins = binned(samples, endMs);
  const latency = (share: number) =>
    bins.flatMap(({ at, of }): [number, number][] =>
      of.length === 0
        ? []
        : [
            [
              at,
              quantile(
                of.map(({ ms }) => ms),
                share,
              ),
            ],
          ],
    );
  const panels: readonly Panel[] = [
    {
      title: 'Requests a second',
      unit: '/s',
      max: niceMax(Math.max(...bins.map(({ of }) => of.length)) / (BIN_MS / 1000)),
      lines: [
        { label: 'answered', color: '#2a6fbb', points: perSecond(bins, ({ text }) => text !== undefined) },
        { label: 'lost', color: '#c62828', points: perSecond(bins, ({ text }) => text === undefined) },
      ],
    },
    {
      title: 'Traffic that goes to the newer cluster',
      unit: '%',
      max: 100,
      lines: [
        {
          label: 'weight',
          color: '#6a3fa0',
          isStepped: true,
          points: shares.map(({ at, percent }) => [at, percent] as const),
        },
      ],
    },
    {
      title: 'Latency',
      unit: ' ms',
      max: niceMax(
        quantile(
          latency(0.99).map(([, ms]) => ms),
          0.99,
        ),
      ),
      lines: [
        { label: 'p50', color: '#2a6fbb', points: latency(0.5) },
        { label: 'p99', color: '#e08a00', points: latency(0.99) },
      ],
    },
  ];
  const height = TOP + panels.length * (PANEL + GAP) + 20;
  const x = (ms: number) => LEFT + ((WIDTH - LEFT - RIGHT) * ms) / endMs;
  const lost = samples.filter(({ text }) => text === undefined).length;
  const broken = upgrades.filter(({ version }) => version.broken !== undefined).length;
  const title = `${upgrades.length} upgrades of a RayService on real Ray, ${broken} of them to a broken version: ${samples.length} requests, ${lost} lost`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    word(LEFT, 20, title, 'font-size="14" font-weight="bold"'),
    ...upgrades.map((upgrade) => band(upgrade, x, height)),
    ...panels.flatMap((panel, index) => draw(panel, TOP + index * (PANEL + GAP) + 14, x, endMs)),
    word(LEFT, height - 6, 'seconds; green: an upgrade that goes through, red: one to a broken version, rolled back'),
    '</svg>',
    '',
  ].join('\n');
}

interface Bin {
  readonly at: number;
  readonly of: readonly Sample[];
}

function binned(samples: readonly Sample[], endMs: number): readonly Bin[] {
  const bins = Array.from({ length: Math.ceil(endMs / BIN_MS) }, (): Sample[] => []);
  for (const sample of samples) bins[Math.floor(sample.at / BIN_MS)]?.push(sample);
  return bins.map((of, index) => ({ at: (index + 0.5) * BIN_MS, of }));
}

function perSecond(bins: readonly Bin[], isCounted: (sample: Sample) => boolean): Line['points'] {
  return bins.map(({ at, of }) => [at, of.filter(isCounted).length / (BIN_MS / 1000)] as const);
}

function draw({ title, unit, max, lines }: Panel, top: number, x: (ms: number) => number, endMs: number): string[] {
  const y = (value: number) => top + PANEL - (PANEL * Math.min(value, max)) / max;
  const right = WIDTH - RIGHT;
  const grid = [0, 0.5, 1].map((share) => {
    const at = y(share * max);
    return `<line x1="${LEFT}" y1="${at}" x2="${right}" y2="${at}" stroke="#ddd"/>${word(LEFT - 6, at + 4, `${share * max}${unit}`, 'text-anchor="end" fill="#555"')}`;
  });
  const step = endMs > 300_000 ? 60_000 : 20_000;
  const ticks = Array.from({ length: Math.floor(endMs / step) + 1 }, (_, index) =>
    word(x(index * step), top + PANEL + 13, String((index * step) / 1000), 'text-anchor="middle" fill="#555"'),
  );
  const legend = lines.map(({ label, color }, index) =>
    word(right - 70 * (lines.length - 1 - index), top - 4, label, `fill="${color}" text-anchor="end"`),
  );
  const paths = lines.map(
    ({ points, color, isStepped }) =>
      `<path d="${path(points, x, y, isStepped === true)}" fill="none" stroke="${color}" stroke-width="1.5"/>`,
  );
  return [word(LEFT, top - 4, title, 'font-weight="bold"'), ...grid, ...ticks, ...legend, ...paths];
}

function path(
  points: Line['points'],
  x: (ms: number) => number,
  y: (value: number) => number,
  isStepped: boolean,
): string {
  let last: number | undefined;
  const parts: string[] = [];
  for (const [index, [ms, value]] of points.entries()) {
    const isEnd = index === points.length - 1;
    // What stays the same needs no point of its own.
    if (isStepped && value === last && !isEnd) continue;
    const at = x(ms).toFixed(1);
    if (last === undefined) parts.push(`M${at} ${y(value).toFixed(1)}`);
    else parts.push(isStepped ? `H${at}V${y(value).toFixed(1)}` : `L${at} ${y(value).toFixed(1)}`);
    last = value;
  }
  return parts.join('');
}

function band({ version, from, to }: Upgrade, x: (ms: number) => number, height: number): string {
  const color = version.broken === undefined ? '#2e7d32' : '#c62828';
  const label = `${version.name} ${version.strategy}${version.broken === undefined ? '' : `, broken: ${version.broken}`}`;
  return `<rect x="${x(from).toFixed(1)}" y="${TOP - 12}" width="${(x(to) - x(from)).toFixed(1)}" height="${height - TOP - 4}" fill="${color}" opacity="0.09"><title>${label}</title></rect>`;
}

function word(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${content}</text>`;
}

/** The next 1, 2 or 5 times a power of ten. */
function niceMax(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return (NICE.find((step) => step * power >= value) ?? 10) * power;
}

const NICE = [1, 2, 5];
