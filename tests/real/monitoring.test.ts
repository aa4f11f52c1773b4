import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Dashboard } from '../../tools/ship/deploy/monitoring/dashboard.ts';
import { OPERATOR_DASHBOARD } from '../../tools/ship/deploy/monitoring/operator-dashboard.ts';
import { RAY_DASHBOARDS } from '../../tools/ship/deploy/monitoring/ray-dashboards.ts';
import { RULE_GROUPS } from '../../tools/ship/deploy/monitoring/rules.ts';
import { type Prometheus, providePrometheus } from '../../tools/fetch/prometheus/provide.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { freePort } from '../support/free-port.ts';
import { type OperatorProcess, startOperator } from '../support/operator-process.ts';
import { ALERT_STORIES } from './alert-stories.ts';
import { METRICS, THERE_WHEN_NEEDED } from './metric-names.ts';
import { clusterSpec, createRayApi, installCrds } from './ray-api.ts';

/** Its own plane: what is on it is counted. */
let plane: ControlPlane;
let operator: OperatorProcess;
let programs: Prometheus;
let server: ChildProcess;
let url = '';
const folder = mkdtempSync(join(tmpdir(), 'manta-monitoring-'));

beforeAll(async () => {
  programs = await providePrometheus();
  plane = await startControlPlane();
  await installCrds(plane);
  const metricsPort = await freePort();
  operator = startOperator({
    args: [
      '--enable-metrics=true',
      `--metrics-addr=127.0.0.1:${metricsPort}`,
      '--enable-leader-election=true',
      '--leader-election-namespace=default',
      '--qps=100',
      '--burst=200',
    ],
    env: { KUBECONFIG: plane.adminKubeconfig.path },
  });
  const api = await createRayApi(plane);
  await api.create('RayCluster', 'watched', clusterSpec());
  await api.create('RayJob', 'watched', {
    entrypoint: 'x',
    suspend: true,
    shutdownAfterJobFinishes: true,
    rayClusterSpec: clusterSpec(),
  });
  await api.create('RayService', 'watched', { rayClusterConfig: clusterSpec() });
  const awaited = ['kuberay_cluster_info{', 'kuberay_service_info{', 'deployment_status="Suspended"'];
  await vi.waitUntil(
    async () => {
      const text = await operator.get('metrics', '/metrics');
      return awaited.every((name) => text?.includes(name));
    },
    { timeout: 30_000, interval: 200 },
  );
  url = `http://127.0.0.1:${await freePort()}`;
  server = startPrometheus(metricsPort);
  await vi.waitUntil(async () => (await query('kuberay_cluster_info').catch(() => [])).length > 0, {
    timeout: 60_000,
    interval: 300,
  });
});
afterAll(async () => {
  server.kill('SIGKILL');
  await operator.ended('SIGKILL');
  await plane.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** As the ServiceMonitor has it done: the labels that the operator gives are kept. */
function startPrometheus(metricsPort: number): ChildProcess {
  writeFileSync(join(folder, 'rules.yaml'), stringify({ groups: RULE_GROUPS }));
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(folder, 'rules.yaml')],
    scrape_configs: [
      {
        job_name: 'kuberay-operator',
        honor_labels: true,
        static_configs: [
          { targets: [`127.0.0.1:${metricsPort}`], labels: { namespace: 'ray-system', pod: 'operator-0' } },
        ],
      },
    ],
  };
  writeFileSync(join(folder, 'prometheus.yaml'), stringify(config));
  const args = [
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${url.replace('http://', '')}`,
  ];
  return spawn(programs.prometheus, args, { stdio: 'ignore' });
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

async function query(text: string): Promise<readonly Series[]> {
  const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(text)}`);
  const body = (await answer.json()) as { status: string; error?: string; data: { result: readonly Series[] } };
  if (body.status !== 'success') throw new Error(`${text}: ${body.error}`);
  return body.data.result;
}

const queriesOf = ({ rows }: Dashboard) =>
  rows.flatMap(({ panels }) => panels.flatMap(({ queries }) => Object.keys(queries)));
const everything = (text: string) => text.replaceAll(/\$\w+/g, '.*');

describe('what the operator says of itself', () => {
  it('is well-formed, as promtool sees it', async () => {
    const text = (await operator.get('metrics', '/metrics')) ?? '';
    const { status, stdout } = spawnSync(programs.promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it.each(Object.entries(METRICS))(
    'has %s, with the type and the labels that dashboards of others rely on',
    async (name, { type, labels }) => {
      const text = (await operator.get('metrics', '/metrics')) ?? '';
      expect(text).toMatch(new RegExp(`^# TYPE ${name} ${type}$`, 'm'));
      const line = text.split('\n').find((each) => each.startsWith(`${name}${type === 'histogram' ? '_count' : ''}{`));
      const given = [...(line?.matchAll(/(\w+)="/g) ?? [])].map(([, label]) => label);
      const lacking = line === undefined ? [] : labels.filter((label) => !given.includes(label));
      expect(lacking).toEqual([]);
    },
  );

  it('keeps the namespaces of objects apart from its own', async () => {
    const [cluster] = await query('kuberay_cluster_info');
    expect(cluster?.metric).toMatchObject({ namespace: expect.stringMatching(/^test-/), pod: 'operator-0' });
  });
});

describe('dashboards', () => {
  it('of the operator ask for nothing that it does not say', async () => {
    const text = (await operator.get('metrics', '/metrics')) ?? '';
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    for (const name of THERE_WHEN_NEEDED) known.add(name);
    const wanted = queriesOf(OPERATOR_DASHBOARD).flatMap((each) => {
      const withoutLabels = each.replaceAll(/\b(?:by|on|group_left) \([^)]*\)/g, '');
      return withoutLabels.match(/\b[a-z]+(?:_[a-z0-9]+)+(?=[{)]|$)/g) ?? [];
    });
    expect(wanted.length).toBeGreaterThan(15);
    expect([...new Set(wanted)].filter((name) => !known.has(name.replace(/_bucket$/, '')))).toEqual([]);
  });

  it('of the operator show what there is', async () => {
    // Nothing is missing or outdated, has ended, or is being upgraded here.
    const wanted = queriesOf(OPERATOR_DASHBOARD).filter(
      (each) => !/manta_missing|manta_outdated|duration_seconds|upgrade_in_progress/.test(each),
    );
    const isEmpty = async (each: string) => (await query(everything(each))).length === 0;
    // Rates need two scrapes.
    await vi.waitFor(
      async () => {
        const empty = await Promise.all(wanted.map(async (each) => ((await isEmpty(each)) ? [each] : [])));
        expect(empty.flat()).toEqual([]);
      },
      { timeout: 15_000, interval: 500 },
    );
  });

  it.each(Object.keys(RAY_DASHBOARDS))('%s asks only what Prometheus understands', async (name) => {
    const dashboard = RAY_DASHBOARDS[name];
    if (dashboard === undefined) throw new Error(name);
    for (const each of queriesOf(dashboard)) await query(everything(each));
    expect(queriesOf(dashboard).length).toBeGreaterThan(5);
  });
});

describe('rules', () => {
  it('are valid', () => {
    const text = execFileSync(programs.promtool, ['check', 'rules', join(folder, 'rules.yaml')], { encoding: 'utf8' });
    expect(text).toContain('SUCCESS');
  });

  it('wake people when they should, and only then', () => {
    const file = join(folder, 'stories.yaml');
    writeFileSync(file, stringify({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests: ALERT_STORIES }));
    const { status, stdout, stderr } = spawnSync(programs.promtool, ['test', 'rules', file], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout + stderr).toContain('SUCCESS');
    expect(status).toBe(0);
  });

  it('are evaluated without an error by a Prometheus that scrapes the operator', async () => {
    const answer = await fetch(`${url}/api/v1/rules`);
    const { data } = (await answer.json()) as {
      data: { groups: { rules: { name: string; lastError?: string; health: string }[] }[] };
    };
    const rules = data.groups.flatMap((group) => group.rules);
    expect(rules).toHaveLength(RULE_GROUPS.flatMap((group) => group.rules).length);
    expect(rules.filter(({ health }) => health === 'err')).toEqual([]);
  });
});
