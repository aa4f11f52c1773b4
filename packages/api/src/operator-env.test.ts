import { describe, expect, it } from 'vitest';
import { type OperatorEnv, readOperatorEnv } from './operator-env.ts';

type Switch = { [Key in keyof OperatorEnv]: OperatorEnv[Key] extends boolean ? Key : never }[keyof OperatorEnv];

const ON_UNLESS_FALSE: readonly (readonly [string, Switch])[] = [
  ['ENABLE_INIT_CONTAINER_INJECTION', 'initContainerInjection'],
  ['ENABLE_PROBES_INJECTION', 'probesInjection'],
  ['ENABLE_GCS_FT_REDIS_CLEANUP', 'gcsFtRedisCleanup'],
  ['ENABLE_ZERO_DOWNTIME', 'zeroDowntime'],
  ['SUBMITTER_REQUESTS', 'submitterRequests'],
];
const OFF_UNLESS_TRUE: readonly (readonly [string, Switch])[] = [
  ['ENABLE_LOGIN_SHELL', 'loginShell'],
  ['ENABLE_DETERMINISTIC_HEAD_POD_NAME', 'deterministicHeadPodName'],
  ['ENABLE_RAY_HEAD_CLUSTER_IP_SERVICE', 'rayHeadClusterIpService'],
  ['ENABLE_RANDOM_POD_DELETE', 'randomPodDelete'],
  ['USE_INGRESS_ON_OPENSHIFT', 'ingressOnOpenShift'],
  ['DELETE_RAYJOB_CR_AFTER_JOB_FINISHES', 'deleteRayJobAfterJobFinishes'],
  ['ENABLE_HEAD_DISRUPTION_BUDGET', 'headDisruptionBudget'],
  ['DELETE_PODS_BY_RESTART_POLICY', 'deletesByRestartPolicy'],
  ['ENABLE_UPGRADE_CAPACITY_CHECK', 'upgradeCapacityCheck'],
];

describe("the operator's environment", () => {
  it.each(ON_UNLESS_FALSE)('%s is on unless it says false', (name, key) => {
    expect(readOperatorEnv({})[key]).toBe(true);
    for (const value of ['', 'true', '0', 'no', 'off', ' false'])
      expect(readOperatorEnv({ [name]: value })[key]).toBe(true);
    for (const value of ['false', 'False', 'FALSE']) expect(readOperatorEnv({ [name]: value })[key]).toBe(false);
  });

  it.each(OFF_UNLESS_TRUE)('%s is off unless it says true', (name, key) => {
    expect(readOperatorEnv({})[key]).toBe(false);
    for (const value of ['', 'false', '1', 'yes', 'on', 'true '])
      expect(readOperatorEnv({ [name]: value })[key]).toBe(false);
    for (const value of ['true', 'True', 'TRUE']) expect(readOperatorEnv({ [name]: value })[key]).toBe(true);
  });

  it('turns webhooks on only in lower case', () => {
    expect(readOperatorEnv({ ENABLE_WEBHOOKS: 'true' }).webhooks).toBe(true);
    expect(readOperatorEnv({ ENABLE_WEBHOOKS: 'True' }).webhooks).toBe(false);
    expect(readOperatorEnv({}).webhooks).toBe(false);
  });

  it('takes an empty cluster domain for the default', () => {
    expect(readOperatorEnv({}).clusterDomain).toBe('cluster.local');
    expect(readOperatorEnv({ CLUSTER_DOMAIN: '' }).clusterDomain).toBe('cluster.local');
    expect(readOperatorEnv({ CLUSTER_DOMAIN: 'k8s.example' }).clusterDomain).toBe('k8s.example');
  });

  it.each([
    ['RAYCLUSTER_DEFAULT_REQUEUE_SECONDS_ENV', 'rayClusterRequeueSeconds'],
    ['RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS', 'rayJobTransitionGracePeriodSeconds'],
    ['RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS', 'rayJobStatusCheckTimeoutSeconds'],
  ] as const)('%s is a whole number, else 300 with a note', (name, key) => {
    expect(readOperatorEnv({})[key]).toBe(300);
    expect(readOperatorEnv({ [name]: '-1' })[key]).toBe(-1);
    expect(readOperatorEnv({ [name]: '60' })).toMatchObject({ [key]: 60, notes: [] });
    expect(readOperatorEnv({ [name]: '5m' })).toMatchObject({
      [key]: 300,
      notes: [`${name} is 5m, which is not a whole number of seconds; using 300.`],
    });
  });

  it('takes what is no quantity for not set, with a note', () => {
    expect(readOperatorEnv({ REDIS_CLEANUP_CPU: '500m', REDIS_CLEANUP_MEMORY: '1Gi' })).toMatchObject({
      redisCleanupCpu: '500m',
      redisCleanupMemory: '1Gi',
      notes: [],
    });
    expect(readOperatorEnv({ REDIS_CLEANUP_MEMORY: 'much' })).toMatchObject({
      redisCleanupMemory: undefined,
      notes: ['REDIS_CLEANUP_MEMORY is much, which is not a quantity such as 500m or 1Gi; it counts as not set.'],
    });
  });

  it('drains no workers unless it says for how long', () => {
    expect(readOperatorEnv({}).workerDrainSeconds).toBe(0);
    expect(readOperatorEnv({ WORKER_DRAIN_SECONDS: '60' }).workerDrainSeconds).toBe(60);
  });
});
