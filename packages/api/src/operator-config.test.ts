import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withConfigurationDefaults } from './operator-config.ts';
import { decodeConfiguration } from './operator-config-decode.ts';

const head = { apiVersion: 'config.ray.io/v1alpha1', kind: 'Configuration' };

function mistakes(fields: object): readonly string[] {
  const decoded = decodeConfiguration({ ...head, ...fields });
  return decoded.ok ? [] : decoded.errors.map(({ message }) => message);
}

describe('decodeConfiguration()', () => {
  it('takes every field', () => {
    const given = {
      ...head,
      metricsAddr: ':1',
      probeAddr: ':2',
      enableLeaderElection: false,
      leaderElectionNamespace: 'a',
      reconcileConcurrency: 8,
      watchNamespace: 'a,b',
      logFile: '/x',
      logFileEncoder: 'console',
      logStdoutEncoder: '',
      batchScheduler: 'volcano',
      enableBatchScheduler: true,
      headSidecarContainers: [
        { name: 'a', image: 'b', command: ['c'], env: [{ name: 'd', value: 'e' }], resources: {} },
      ],
      workerSidecarContainers: [],
      defaultContainerEnvs: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'x' } } }],
      defaultPodAnnotations: { a: 'b' },
      defaultPodLabels: {},
      useKubernetesProxy: true,
      deleteRayJobAfterJobFinishes: true,
      enableMetrics: true,
      qps: 12.5,
      burst: 30,
      featureGates: { RayCronJob: true },
    };
    expect(decodeConfiguration(given)).toEqual({ ok: true, value: given, unknownFields: [] });
  });

  it('names unknown fields, and takes null as not given', () => {
    expect(decodeConfiguration({ ...head, burst: null, colour: 'red' })).toEqual({
      ok: true,
      value: head,
      unknownFields: ['colour'],
    });
  });

  it.each([
    [{ burst: 300.5 }, 'burst: expected a whole number, got 300.5'],
    [{ burst: '300' }, 'burst: expected a whole number, got the text "300"'],
    [{ qps: 'many' }, 'qps: expected a number, got the text "many"'],
    [{ enableMetrics: 'true' }, 'enableMetrics: expected true or false, got the text "true"'],
    [{ watchNamespace: ['a'] }, 'watchNamespace: expected a text, got a list'],
    [{ logFileEncoder: 'xml' }, 'logFileEncoder: expected "json" or "console", got the text "xml"'],
    [{ headSidecarContainers: {} }, 'headSidecarContainers: expected a list, got a mapping'],
    [{ headSidecarContainers: [{}] }, 'headSidecarContainers[0].name: expected a text, got nothing'],
    [{ defaultContainerEnvs: [{ name: 'A', value: 1 }] }, 'defaultContainerEnvs[0].value: expected a text, got 1'],
    [{ defaultPodLabels: { a: true } }, 'defaultPodLabels.a: expected a text, got true'],
    [
      { defaultPodLabels: 'a=b' },
      'defaultPodLabels: expected a mapping to texts (put numbers and true/false in quotes), got the text "a=b"',
    ],
    [{ featureGates: { RayCronJob: 'on' } }, 'featureGates.RayCronJob: expected true or false, got the text "on"'],
    [{ kind: 'ConfigMap' }, 'kind: expected "Configuration", got the text "ConfigMap"'],
    [{ apiVersion: null }, 'apiVersion: expected "config.ray.io/v1alpha1", got nothing'],
  ])('says what is wrong with %j', (fields, message) => {
    expect(mistakes(fields)).toEqual([message]);
  });

  it('tells all mistakes at once', () => {
    expect(mistakes({ burst: 'a', qps: 'b', logFile: 1 })).toHaveLength(3);
  });

  it.each([null, undefined, [], 'text', 3])('refuses %j as a whole', (value) => {
    expect(decodeConfiguration(value)).toMatchObject({ ok: false });
  });

  it('answers whatever it is given, and never throws', () => {
    const fields = fc.dictionary(fc.constantFrom('burst', 'headSidecarContainers', 'featureGates', 'x'), fc.anything());
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fields), (value) => {
        const decoded = decodeConfiguration(typeof value === 'object' ? { ...head, ...value } : value);
        expect(decoded.ok || decoded.errors.length > 0).toBe(true);
      }),
    );
  });
});

describe('withConfigurationDefaults()', () => {
  const minimal = { apiVersion: 'config.ray.io/v1alpha1', kind: 'Configuration' } as const;

  it('fills in what a minimal file leaves out', () => {
    expect(withConfigurationDefaults(minimal)).toMatchObject({
      metricsAddr: ':8080',
      probeAddr: ':8082',
      enableLeaderElection: true,
      reconcileConcurrency: 1,
      qps: 100,
      burst: 200,
      logStdoutEncoder: 'json',
    });
  });

  it('keeps what is given, also where it is false or 0', () => {
    const given = { ...minimal, enableLeaderElection: false, qps: 0, burst: 0 };
    expect(withConfigurationDefaults(given)).toMatchObject({ enableLeaderElection: false, qps: 0, burst: 0 });
  });

  it('takes empty addresses and a concurrency of 0 as not given', () => {
    expect(withConfigurationDefaults({ ...minimal, metricsAddr: '', reconcileConcurrency: 0 })).toMatchObject({
      metricsAddr: ':8080',
      reconcileConcurrency: 1,
    });
  });
});
