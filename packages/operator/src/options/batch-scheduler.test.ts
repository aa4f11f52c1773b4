import { describe, expect, it } from 'vitest';
import { BATCH_SCHEDULERS, chooseBatchScheduler } from './batch-scheduler.ts';

const choose = (name: string, isLegacyEnabled = false, isWorkloadSchedulingGateOn = false) =>
  chooseBatchScheduler({ name, isLegacyEnabled, isWorkloadSchedulingGateOn });

describe('chooseBatchScheduler()', () => {
  it('chooses none by default', () => expect(choose('')).toEqual({ kind: 'chosen', scheduler: undefined }));

  it('takes each known name', () => {
    for (const name of BATCH_SCHEDULERS) expect(choose(name)).toEqual({ kind: 'chosen', scheduler: name });
  });

  it('takes the deprecated switch for Volcano', () => {
    expect(choose('', true)).toEqual({ kind: 'chosen', scheduler: 'volcano' });
  });

  it('takes the gate for workload scheduling', () => {
    expect(choose('', false, true)).toEqual({ kind: 'chosen', scheduler: 'kubernetes-was' });
  });

  it.each([
    ['an unknown name', 'slurm', false, false, /^scheduler is not supported, name=slurm\./],
    ['the name "default"', 'default', false, false, /^scheduler is not supported, name=default\./],
    ["the gate's scheduler by name", 'kubernetes-was-v1alpha2', false, false, /^scheduler is not supported/],
    [
      'both switches',
      'volcano',
      true,
      false,
      /^both feature flags enable-batch-scheduler \(deprecated\) and batch-scheduler are set/,
    ],
    ['the gate with a name', 'volcano', false, true, /^the KubernetesWAS feature gate cannot be combined/],
    ['the gate with the deprecated switch', '', true, true, /^the KubernetesWAS feature gate cannot be combined/],
  ])('refuses %s', (_, name, legacy, gate, message) => {
    expect(choose(name, legacy, gate)).toEqual({ kind: 'error', message: expect.stringMatching(message) });
  });
});
