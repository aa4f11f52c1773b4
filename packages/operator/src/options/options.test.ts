import type { Configuration } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { type OperatorFlags, resolveOptions } from './options.ts';

const FILE: Configuration = { apiVersion: 'config.ray.io/v1alpha1', kind: 'Configuration' };

function resolve(flags: OperatorFlags, file?: Partial<Configuration>) {
  const result = resolveOptions(flags, file === undefined ? undefined : { ...FILE, ...file });
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

describe('resolveOptions()', () => {
  it('has the documented defaults, by flags and by an empty file alike', () => {
    const expected = {
      metricsAddress: ':8080',
      probeAddress: ':8082',
      isLeaderElectionOn: true,
      leaderElectionNamespace: '',
      concurrency: 32,
      watchNamespaces: [],
      batchScheduler: undefined,
      useKubernetesProxy: false,
      areRayMetricsOn: false,
      rateLimit: undefined,
      notes: [],
      log: { encoder: 'json', fileEncoder: 'json', file: '', isDevelopment: false },
    };
    expect(resolve({})).toMatchObject(expected);
    expect(resolve({}, {})).toMatchObject(expected);
  });

  it('knows one security profile, which switches its gates on unless they are named', () => {
    expect(resolve({}).isSecure).toBe(false);
    const secure = resolve({ 'security-profile': 'secure' });
    expect(secure.isSecure).toBe(true);
    expect(secure.gates).toMatchObject({ RayClusterMTLS: true, RayClusterNetworkPolicy: true });
    expect(resolve({}, { securityProfile: 'secure' }).isSecure).toBe(true);
    const without = resolve({ 'security-profile': 'secure', 'feature-gates': 'RayClusterMTLS=false' });
    expect(without.gates).toMatchObject({ RayClusterMTLS: false, RayClusterNetworkPolicy: true });
    expect(resolveOptions({ 'security-profile': 'paranoid' }, undefined)).toEqual({
      ok: false,
      error: 'security-profile is "paranoid": it must be secure or empty',
    });
  });

  it('honours an explicit concurrency, also of 1', () => {
    expect(resolve({ 'reconcile-concurrency': 1 }).concurrency).toBe(1);
    expect(resolve({}, { reconcileConcurrency: 1 }).concurrency).toBe(1);
    expect(resolve({}, { reconcileConcurrency: 0 }).concurrency).toBe(32);
    expect(resolveOptions({ 'reconcile-concurrency': -1 }, undefined)).toMatchObject({ ok: false });
  });

  it('limits requests only when asked to, and fills in the missing half', () => {
    expect(resolve({ qps: 50 }).rateLimit).toEqual({ qps: 50, burst: 200 });
    expect(resolve({}, { burst: 7 }).rateLimit).toEqual({ qps: 100, burst: 7 });
    expect(resolve({ qps: -1 }).rateLimit).toBeUndefined();
  });

  it('lets a file replace the flags, except those that only exist as flags', () => {
    const flags: OperatorFlags = {
      'metrics-addr': ':1',
      'enable-metrics': true,
      kubeconfig: '/k',
      'log-file-path': '/flag.log',
    };
    expect(resolve(flags, { metricsAddr: ':2', logFile: '/file.log' })).toMatchObject({
      metricsAddress: ':2',
      areRayMetricsOn: false,
      kubeconfig: '/k',
      log: { file: '/file.log' },
    });
  });

  it('takes gates from the file and lets the flag win', () => {
    const { gates } = resolve(
      { 'feature-gates': 'RayCronJob=false' },
      { featureGates: { RayCronJob: true, RayClusterMTLS: true } },
    );
    expect(gates).toMatchObject({ RayCronJob: false, RayClusterMTLS: true, RayClusterStatusConditions: true });
  });

  it.each([
    [
      'a gate that does not exist',
      { 'feature-gates': 'Nope=true' },
      /^Unable to set flag gates for known features: unrecognized feature gate: Nope/,
    ],
    ['a gate without a value', { 'feature-gates': 'RayCronJob' }, /missing bool value for RayCronJob/],
    ['an unknown encoder', { 'log-stdout-encoder': 'xml' }, /^--log-stdout-encoder: "xml" is not json or console$/],
    ['an unknown zap encoder', { 'zap-encoder': 'xml' }, /^--zap-encoder: "xml" is not json or console$/],
    ['an unknown scheduler', { 'batch-scheduler': 'slurm' }, /^scheduler is not supported, name=slurm/],
  ])('refuses %s', (_, flags, message) => {
    expect(resolveOptions(flags, undefined)).toEqual({ ok: false, error: expect.stringMatching(message) });
  });

  it('honours encoders in the file and from zap, unless the flag says otherwise', () => {
    expect(resolve({}, { logStdoutEncoder: 'console', logFileEncoder: 'console' }).log).toMatchObject({
      encoder: 'console',
      fileEncoder: 'console',
    });
    expect(resolve({ 'zap-encoder': 'console' }).log.encoder).toBe('console');
    expect(resolve({ 'log-stdout-encoder': 'json', 'zap-encoder': 'console' }).log.encoder).toBe('json');
  });

  it('splits the watched namespaces and forgives blanks and repetitions', () => {
    expect(resolve({ 'watch-namespace': 'a, b,,a' }).watchNamespaces).toEqual(['a', 'b']);
  });

  it('says which settings are deprecated or do nothing', () => {
    expect(
      resolve({
        'forced-cluster-upgrade': true,
        'enable-batch-scheduler': true,
        'feature-gates': 'AsyncJobInfoQuery=true',
      }).notes,
    ).toEqual([
      expect.stringContaining('AsyncJobInfoQuery'),
      expect.stringContaining('--forced-cluster-upgrade'),
      expect.stringContaining('enable-batch-scheduler'),
    ]);
  });

  it('passes pod defaults on', () => {
    expect(resolve({}, { defaultPodLabels: { team: 'a' } }).podDefaults).toEqual({ defaultPodLabels: { team: 'a' } });
  });
});
