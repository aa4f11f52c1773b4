import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const PREFIXES = 'kuberay|manta|controller_runtime|workqueue|rest_client|leader_election|process|nodejs|certwatcher';

/** A name and its help text, next to each other in the code, e.g. in `metrics.gauge(NAME, HELP)`. */
const INSTRUMENT = new RegExp(String.raw`'((?:${PREFIXES})_[a-z0-9_]+)',\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)")`, 'g');

/** The histograms of the client, whose prefix is added by `createRestClientObserver`. */
const CLIENT_HISTOGRAM = /histogram\(\s*'([a-z_]+)',\s*'([^']*)'/g;

/** docs/reference/metrics.md */
export function metricsPage(): string {
  const root = resolve(import.meta.dirname, '../../..');
  const files = globSync('packages/{runtime,operator,router}/src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] });
  const helps = new Map<string, string>();
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, name = '', single, double] of text.matchAll(INSTRUMENT)) helps.set(name, single ?? double ?? '');
    if (file.endsWith('metrics/rest-client.ts'))
      for (const [, name = '', help = ''] of text.matchAll(CLIENT_HISTOGRAM)) helps.set(`rest_client_${name}`, help);
  }
  const rows = [...helps]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, help]) => `| \`${name}\` | ${help.replace(/\.?$/, '.')} |`);
  return [
    '# Metrics',
    'Generated from the code by `npm run reference`; do not edit. The operator serves them at `:8080/metrics`, the router at its own address (`manta_router_…`). Names without `manta` and `nodejs` are those of KubeRay, controller-runtime and client-go, with their labels. `kuberay_…` metrics need `--enable-metrics`, which the chart sets.',
    ['| Metric | Meaning |', '| --- | --- |', ...rows].join('\n'),
    '',
  ].join('\n\n');
}
