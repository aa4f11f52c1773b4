import type { DeletionRule, RayJobSpec, RayJobStatus } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { ago, check, cluster, ended, planJob } from './testing/observed-job.ts';

/** Ten seconds after a success unless told otherwise. */
const after = (spec: Partial<RayJobSpec>, status: RayJobStatus = {}, more: Parameters<typeof ended>[0] = {}) =>
  ended({ spec, status, ...more });
const rule = (policy: DeletionRule['policy'], ttlSeconds: number, jobStatus: 'SUCCEEDED' | 'FAILED' = 'SUCCEEDED') =>
  ({ policy, condition: { jobStatus, ttlSeconds } }) as const;
const rules = (...deletionRules: readonly DeletionRule[]) => ({ deletionStrategy: { deletionRules } });
const failedRule = (policy: DeletionRule['policy']) =>
  ({ policy, condition: { jobDeploymentStatus: 'Failed', ttlSeconds: 0 } }) as const;
const withoutWorkers = () => {
  const { spec } = cluster();
  const groups = (spec?.workerGroupSpecs ?? []).map((group) => ({ ...group, suspend: true }));
  return cluster('ready', { spec: { ...spec, workerGroupSpecs: groups } as never });
};

describe('rules about what is deleted', () => {
  check({
    'wait for their time': [after(rules(rule('DeleteCluster', 11)))],
    'are carried out when it comes': [after(rules(rule('DeleteCluster', 10))), 'delete RayCluster job-x'],
    'keep the head and the submitter when only workers go': [
      after(rules(rule('DeleteWorkers', 0))),
      'patch RayCluster job-x',
    ],
    'take the job itself': [after(rules(rule('DeleteSelf', 0))), 'delete RayJob job'],
    'may ask for nothing': [after(rules(rule('DeleteNone', 0)))],
    'are for one outcome only': [after(rules(rule('DeleteSelf', 0, 'FAILED')))],
    'for a failed job count whatever Ray said last': [
      after(rules(failedRule('DeleteCluster')), { jobDeploymentStatus: 'Failed', jobStatus: 'RUNNING' }),
      'delete RayCluster job-x',
    ],
    'do not speak of a job that was stopped': [
      after(rules(rule('DeleteSelf', 0), rule('DeleteSelf', 0, 'FAILED')), { jobStatus: 'STOPPED' }),
    ],
    'that are due together come down to the most thorough': [
      after(rules(rule('DeleteWorkers', 0), rule('DeleteCluster', 1), rule('DeleteSelf', 99))),
      'delete RayCluster job-x',
    ],
    'are over when their goal is reached: no workers': [
      after(rules(rule('DeleteWorkers', 0)), {}, { cluster: withoutWorkers() }),
    ],
    'are over when their goal is reached: no cluster': [
      after(rules(rule('DeleteWorkers', 0), rule('DeleteCluster', 0)), {}, { cluster: undefined }),
    ],
    'are over when their goal is reached: a cluster that is going': [
      after(
        rules(rule('DeleteCluster', 0)),
        {},
        {
          cluster: cluster('ready', { metadata: { ...cluster().metadata, deletionTimestamp: ago(1) } }),
        },
      ),
    ],
  });

  it('are looked at again for the next one', () => {
    const plan = planJob(after(rules(rule('DeleteWorkers', 0), rule('DeleteCluster', 30), rule('DeleteSelf', 99))));
    expect(plan.requeueAfterMs).toBe(22_000);
  });
});

describe('the old way to say what is deleted', () => {
  const legacy = (onSuccess: string, onFailure: string, ttlSecondsAfterFinished = 0) =>
    ({
      shutdownAfterJobFinishes: true,
      ttlSecondsAfterFinished,
      deletionStrategy: { onSuccess: { policy: onSuccess }, onFailure: { policy: onFailure } },
    }) as Partial<RayJobSpec>;
  check({
    'on success': [after(legacy('DeleteCluster', 'DeleteSelf')), 'delete RayCluster job-x'],
    'on failure': [
      after(legacy('DeleteCluster', 'DeleteSelf'), { jobStatus: 'FAILED', jobDeploymentStatus: 'Failed' }),
      'delete RayJob job',
    ],
    'on success, workers only': [after(legacy('DeleteWorkers', 'DeleteSelf')), 'patch RayCluster job-x'],
    'waits as long as it should': [after(legacy('DeleteCluster', 'DeleteSelf', 60))],
    'does nothing for a job that was stopped': [after(legacy('DeleteCluster', 'DeleteSelf'), { jobStatus: 'STOPPED' })],
    'does nothing twice': [after(legacy('DeleteWorkers', 'DeleteSelf'), {}, { cluster: withoutWorkers() })],
  });
});
