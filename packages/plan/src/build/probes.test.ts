import { type Container, NodeType, OriginCrd } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { type ProbeInput, withProbes } from './probes.ts';

const container: Container = { name: 'ray' };
const input = (overrides: Partial<ProbeInput> = {}): ProbeInput => ({
  nodeType: NodeType.Head,
  origin: OriginCrd.RayCluster,
  rayVersion: '2.52.0',
  params: {},
  ...overrides,
});
const script = (overrides: Partial<ProbeInput>, given = container) =>
  withProbes(given, input(overrides)).readinessProbe?.exec?.command?.[2];
const raylet = (port = 52365) =>
  `wget --tries 1 -T 2 -q -O- http://localhost:${port}/api/local_raylet_healthz | grep success`;
const gcs = (port = 8265) => `wget --tries 1 -T 10 -q -O- http://localhost:${port}/api/gcs_healthz | grep success`;
const serve = (port = 8000) => `wget --tries 1 -T 10 -q -O- http://localhost:${port}/-/healthz | grep success`;
const worker = { nodeType: NodeType.Worker };
const servingWorker = { ...worker, origin: OriginCrd.RayService };

describe('withProbes()', () => {
  it.each<[string, Partial<ProbeInput>, string]>([
    ['a head asks raylet and GCS', {}, `${raylet()} && ${gcs()}`],
    ['a worker asks its raylet', worker, raylet()],
    ['a worker that serves asks its proxy too', servingWorker, `${raylet()} && ${serve()}`],
    ['the head of a service is no different', { origin: OriginCrd.RayService }, `${raylet()} && ${gcs()}`],
    [
      'ports follow the start parameters',
      { params: { 'dashboard-agent-listen-port': '1', 'dashboard-port': '2' } },
      `${raylet(1)} && ${gcs(2)}`,
    ],
    [
      'what is no port counts as not given',
      { params: { 'dashboard-agent-listen-port': 'x', 'dashboard-port': '4294967296' } },
      `${raylet()} && ${gcs()}`,
    ],
    ['a worker never asks the dashboard', { ...worker, params: { 'dashboard-port': '2' } }, raylet()],
  ])('%s', (_, overrides, expected) => {
    expect(script(overrides)).toBe(expected);
  });

  it('asks the proxy where the container says that it listens', () => {
    const serving = { ...container, ports: [{ name: 'serve', containerPort: 9000 }] };
    expect(script(servingWorker, serving)).toBe(`${raylet()} && ${serve(9000)}`);
  });

  it.each<[string, boolean]>([
    ['2.53.0', true],
    ['2.53', true],
    ['2.53.0-rc1', true],
    ['v2.60.1', true],
    ['3.0.0.dev0', true],
    ['2.52.9', false],
    ['nightly', false],
    ['', false],
  ])('Ray %s has one path for all: %s', (rayVersion, hasOne) => {
    const probe = withProbes(container, input({ rayVersion })).livenessProbe;
    expect(probe?.httpGet).toEqual(hasOne ? { path: '/api/healthz', port: 52365 } : undefined);
    expect(probe?.exec === undefined).toBe(hasOne);
  });

  it('still asks the proxy of a worker that serves with a new Ray', () => {
    const probed = withProbes(container, input({ ...servingWorker, rayVersion: '2.53.0' }));
    expect(probed.livenessProbe?.httpGet).toBeDefined();
    expect(probed.readinessProbe?.exec?.command?.[2]).toBe(`${raylet()} && ${serve()}`);
  });

  it.each<[string, Partial<ProbeInput>, readonly number[], readonly number[]]>([
    ['a head', {}, [30, 5, 5, 1, 120], [10, 5, 5, 1, 10]],
    ['a worker', worker, [30, 2, 5, 1, 120], [10, 2, 5, 1, 10]],
    ['a worker that serves', servingWorker, [30, 2, 5, 1, 120], [10, 2, 5, 1, 1]],
  ])('has the peer’s times for %s', (_, overrides, liveness, readiness) => {
    const probed = withProbes(container, input(overrides));
    const times = [probed.livenessProbe, probed.readinessProbe].map((probe) => [
      probe?.initialDelaySeconds,
      probe?.timeoutSeconds,
      probe?.periodSeconds,
      probe?.successThreshold,
      probe?.failureThreshold,
    ]);
    expect(times).toEqual([liveness, readiness]);
  });

  it('leaves the user’s own probes alone, each for itself', () => {
    const livenessProbe = { tcpSocket: { port: 1 } };
    const probed = withProbes({ ...container, livenessProbe }, input());
    expect(probed.livenessProbe).toBe(livenessProbe);
    expect(probed.readinessProbe).toBeDefined();
  });
});
