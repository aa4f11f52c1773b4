import type { Pod, PodSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { spareObjectName } from '../raycluster/object-name.ts';
import { podRecord } from './pod-record.ts';
import { UNSHARED } from './sharing.ts';

const LONG = `a${'b'.repeat(52)}`;
const SPARE = spareObjectName(LONG) ?? '';

const envFrom = (name: string) => ({
  name: 'ray',
  env: [
    { name: 'PLAIN', value: SPARE },
    { name: 'TOKEN', valueFrom: { secretKeyRef: { name, key: 'auth_token' } } },
  ],
});

describe('a pod knows the spare name of its cluster', () => {
  it.each<[string, string, PodSpec, true | undefined]>([
    ['by its account', LONG, { serviceAccountName: SPARE, containers: [] }, true],
    ['by a Secret', LONG, { containers: [{ name: 'first' }, envFrom(SPARE)] }, true],
    ['by a Secret of what runs before', LONG, { containers: [], initContainers: [envFrom(SPARE)] }, true],
    [
      'not by the usual one',
      LONG,
      { serviceAccountName: 'b'.repeat(50), containers: [envFrom('b'.repeat(50))] },
      undefined,
    ],
    ['not where its cluster has none', 'short', { serviceAccountName: SPARE, containers: [envFrom(SPARE)] }, undefined],
  ])('%s', (_, cluster, spec, expected) => {
    const pod: Pod = { metadata: { labels: { 'ray.io/cluster': cluster } }, spec };
    expect(podRecord(pod, UNSHARED).knowsSpare).toBe(expected);
  });
});

describe('a pod is disrupted', () => {
  const target = { type: 'DisruptionTarget', status: 'True' };
  it.each<[string, Pod['status'], true | undefined]>([
    ['when it is drained', { conditions: [{ ...target, reason: 'EvictionByEvictionAPI' }] }, true],
    [
      'when its node is shut down',
      { phase: 'Failed', reason: 'Terminated', conditions: [{ ...target, reason: 'TerminationByKubelet' }] },
      true,
    ],
    [
      'but not when its node runs out of memory',
      { phase: 'Failed', reason: 'Evicted', conditions: [{ ...target, reason: 'TerminationByKubelet' }] },
      undefined,
    ],
    ['but not when it fails', { phase: 'Failed', reason: 'Error' }, undefined],
  ])('%s', (_, status, expected) => {
    expect(podRecord({ metadata: {}, ...(status === undefined ? {} : { status }) }, UNSHARED).isDisrupted).toBe(
      expected,
    );
  });
});
