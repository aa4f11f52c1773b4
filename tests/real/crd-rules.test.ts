import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiAnswer } from '../support/api-request.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import {
  type Answered,
  clusterSpec,
  createRayApi,
  headGroup,
  installCrds,
  podTemplate,
  type RayApi,
  surprise,
  workerGroup,
} from './ray-api.ts';

const plane = sharedControlPlane();
let ray: RayApi;

beforeAll(async () => {
  await installCrds(plane);
  ray = await createRayApi(plane);
});

/** The fields that the server complains about, with what it says. */
function complaints(answer: ApiAnswer): Readonly<Record<string, string>> {
  const causes: readonly Answered[] = (answer.body as Answered).details?.causes ?? [];
  return Object.fromEntries(causes.map((cause) => [cause.field, cause.message]));
}

const job = (deletionStrategy: object) => ({ entrypoint: 'x', rayClusterSpec: clusterSpec(), deletionStrategy });
const rules = (...deletionRules: readonly object[]) => job({ deletionRules });
const policy = { policy: 'DeleteCluster' };

const managedByValues =
  "the managedBy field value must be either 'ray.io/kuberay-operator' or 'kueue.x-k8s.io/multikueue'";
const legacyAndRules =
  'legacy policies (onSuccess/onFailure) and deletionRules cannot be used together within the same deletionStrategy';
const bothOrRules =
  'deletionStrategy requires either BOTH onSuccess and onFailure, OR the deletionRules field (cannot be empty)';
const notTogether = 'JobStatus and JobDeploymentStatus cannot be used together within the same deletion condition.';
const eitherOne = 'the deletion condition requires either the JobStatus or the JobDeploymentStatus field.';

type Refusal = readonly [kind: string, spec: object, field: string, message: string];

const celRefusals: Readonly<Record<string, Refusal>> = {
  'a cluster that is managed by a stranger': [
    'RayCluster',
    clusterSpec({ managedBy: 'me' }),
    'spec.managedBy',
    managedByValues,
  ],
  'a job that is managed by a stranger': [
    'RayJob',
    { rayClusterSpec: clusterSpec(), managedBy: 'me' },
    'spec.managedBy',
    managedByValues,
  ],
  'a service that is managed by a stranger': [
    'RayService',
    { rayClusterConfig: clusterSpec(), managedBy: 'me' },
    'spec.managedBy',
    managedByValues,
  ],
  'a stranger deep inside a cron job': [
    'RayCronJob',
    { schedule: '@daily', jobTemplate: { rayClusterSpec: clusterSpec({ managedBy: 'me' }) } },
    'spec.jobTemplate.rayClusterSpec.managedBy',
    managedByValues,
  ],
  'legacy policies next to deletion rules': [
    'RayJob',
    job({ onSuccess: policy, onFailure: policy, deletionRules: [{ ...policy, condition: { jobStatus: 'FAILED' } }] }),
    'spec.deletionStrategy',
    legacyAndRules,
  ],
  'a single legacy policy next to deletion rules': [
    'RayJob',
    job({ onSuccess: policy, deletionRules: [{ ...policy, condition: { jobStatus: 'FAILED' } }] }),
    'spec.deletionStrategy',
    legacyAndRules,
  ],
  'a legacy policy for success only': ['RayJob', job({ onSuccess: policy }), 'spec.deletionStrategy', bothOrRules],
  'a legacy policy for failure only': ['RayJob', job({ onFailure: policy }), 'spec.deletionStrategy', bothOrRules],
  'an empty deletion strategy': ['RayJob', job({}), 'spec.deletionStrategy', bothOrRules],
  'a deletion condition on both statuses': [
    'RayJob',
    rules({ ...policy, condition: { jobStatus: 'FAILED', jobDeploymentStatus: 'Failed' } }),
    'spec.deletionStrategy.deletionRules[0].condition',
    notTogether,
  ],
  'a deletion condition on neither status': [
    'RayJob',
    rules({ ...policy, condition: { ttlSeconds: 5 } }),
    'spec.deletionStrategy.deletionRules[0].condition',
    eitherOne,
  ],
};

const schemaRefusals: Readonly<Record<string, Refusal>> = {
  'a cluster without a head': ['RayCluster', {}, 'spec.headGroupSpec', 'Required value'],
  'a head without a template': ['RayCluster', { headGroupSpec: {} }, 'spec.headGroupSpec.template', 'Required value'],
  'a worker group without a name': [
    'RayCluster',
    clusterSpec({ workerGroupSpecs: [{ template: podTemplate() }] }),
    'spec.workerGroupSpecs[0].groupName',
    'Required value',
  ],
  'an unknown upgrade strategy of a cluster': [
    'RayCluster',
    clusterSpec({ upgradeStrategy: { type: 'Rolling' } }),
    'spec.upgradeStrategy.type',
    'Unsupported value: "Rolling": supported values: "Recreate", "None"',
  ],
  'an unknown mode of authentication': [
    'RayCluster',
    clusterSpec({ authOptions: { mode: 'password' } }),
    'spec.authOptions.mode',
    'Unsupported value: "password": supported values: "disabled", "token"',
  ],
  'an unknown autoscaler': [
    'RayCluster',
    clusterSpec({ autoscalerOptions: { version: 'v3' } }),
    'spec.autoscalerOptions.version',
    'Unsupported value: "v3": supported values: "v1", "v2"',
  ],
  'an unknown backend for the state of the head': [
    'RayCluster',
    clusterSpec({ gcsFaultToleranceOptions: { backend: 'etcd' } }),
    'spec.gcsFaultToleranceOptions.backend',
    'Unsupported value: "etcd": supported values: "redis", "rocksdb"',
  ],
  'an unknown mode of the network policy': [
    'RayCluster',
    clusterSpec({ networkPolicy: { mode: 'AllowAll' } }),
    'spec.networkPolicy.mode',
    'Unsupported value: "AllowAll": supported values: "DenyAll", "DenyAllIngress", "DenyAllEgress"',
  ],
  'an unknown path type of the ingress': [
    'RayCluster',
    clusterSpec({ headGroupSpec: headGroup({ ingressOptions: { pathType: 'Regex' } }) }),
    'spec.headGroupSpec.ingressOptions.pathType',
    'Unsupported value: "Regex": supported values: "Exact", "Prefix", "ImplementationSpecific"',
  ],
  'a size that is no quantity': [
    'RayCluster',
    clusterSpec({ gcsFaultToleranceOptions: { storage: { size: '1 GB' } } }),
    'spec.gcsFaultToleranceOptions.storage.size',
    'Invalid value: "1 GB": spec.gcsFaultToleranceOptions.storage.size in body should match',
  ],
  'two environment variables of one name': [
    'RayCluster',
    clusterSpec({ headGroupSpec: { template: podTemplate({ env: [{ name: 'A' }, { name: 'A' }] }) } }),
    'spec.headGroupSpec.template.spec.containers[0].env[1]',
    'Duplicate value: {"name":"A"}',
  ],
  'two network policies for one worker group': [
    'RayCluster',
    clusterSpec({ networkPolicy: { workerGroups: [{ groupName: 'a' }, { groupName: 'a' }] } }),
    'spec.networkPolicy.workerGroups[1]',
    'Duplicate value: {"groupName":"a"}',
  ],
  'replicas that are no number': [
    'RayCluster',
    clusterSpec({ workerGroupSpecs: [workerGroup('a', { replicas: 'two' })] }),
    'spec.workerGroupSpecs[0].replicas',
    'Invalid value: "string": spec.workerGroupSpecs[0].replicas in body must be of type integer: "string"',
  ],
  'an empty list of deletion rules': [
    'RayJob',
    rules(),
    'spec.deletionStrategy.deletionRules',
    'Invalid value: 0: spec.deletionStrategy.deletionRules in body should have at least 1 items',
  ],
  'an unknown deletion policy': [
    'RayJob',
    rules({ policy: 'DeleteAll', condition: { jobStatus: 'FAILED' } }),
    'spec.deletionStrategy.deletionRules[0].policy',
    'Unsupported value: "DeleteAll"',
  ],
  'a deletion condition on a status that does not end a job': [
    'RayJob',
    rules({ ...policy, condition: { jobStatus: 'RUNNING' } }),
    'spec.deletionStrategy.deletionRules[0].condition.jobStatus',
    'Unsupported value: "RUNNING": supported values: "SUCCEEDED", "FAILED"',
  ],
  'a negative time before deletion': [
    'RayJob',
    rules({ ...policy, condition: { jobStatus: 'FAILED', ttlSeconds: -1 } }),
    'spec.deletionStrategy.deletionRules[0].condition.ttlSeconds',
    'Invalid value: -1: spec.deletionStrategy.deletionRules[0].condition.ttlSeconds in body should be greater than or equal to 0',
  ],
  'a deadline before running of zero seconds': [
    'RayJob',
    { preRunningDeadlineSeconds: 0 },
    'spec.preRunningDeadlineSeconds',
    'Invalid value: 0: spec.preRunningDeadlineSeconds in body should be greater than or equal to 1',
  ],
  'a service without a cluster': ['RayService', {}, 'spec.rayClusterConfig', 'Required value'],
  'a negative delay before a cluster is deleted': [
    'RayService',
    { rayClusterConfig: clusterSpec(), rayClusterDeletionDelaySeconds: -1 },
    'spec.rayClusterDeletionDelaySeconds',
    'Invalid value: -1: spec.rayClusterDeletionDelaySeconds in body should be greater than or equal to 0',
  ],
  'an incremental upgrade without a gateway class': [
    'RayService',
    {
      rayClusterConfig: clusterSpec(),
      upgradeStrategy: { clusterUpgradeOptions: { stepSizePercent: 1, intervalSeconds: 1 } },
    },
    'spec.upgradeStrategy.clusterUpgradeOptions.gatewayClassName',
    'Required value',
  ],
  'a cron job without a schedule': ['RayCronJob', { jobTemplate: {} }, 'spec.schedule', 'Required value'],
  'an empty time zone': [
    'RayCronJob',
    { jobTemplate: {}, schedule: '@daily', timeZone: '' },
    'spec.timeZone',
    'Invalid value: "": spec.timeZone in body should be at least 1 chars long',
  ],
};

describe('a CEL rule refuses', () => {
  it.each(Object.entries(celRefusals))('%s', async (_, [kind, spec, field, message]) => {
    const answer = await ray.dryRun(kind, spec);
    expect(surprise(answer, 422)).toBeUndefined();
    const said = complaints(answer)[field] ?? '';
    expect(said).toMatch(/^Invalid value: /);
    expect(said.slice(-message.length - 2)).toBe(`: ${message}`);
  });
});

describe('the schema refuses', () => {
  it.each(Object.entries(schemaRefusals))('%s', async (_, [kind, spec, field, message]) => {
    const answer = await ray.dryRun(kind, spec);
    expect(surprise(answer, 422)).toBeUndefined();
    expect(complaints(answer)[field]).toContain(message);
  });
});

describe('accepted, since no rule speaks against it', () => {
  const accepted: Readonly<Record<string, readonly [kind: string, spec: object]>> = {
    'a cluster for MultiKueue': ['RayCluster', clusterSpec({ managedBy: 'kueue.x-k8s.io/multikueue' })],
    'both legacy policies': ['RayJob', job({ onSuccess: policy, onFailure: policy })],
    'a deletion rule on the status of the RayJob': [
      'RayJob',
      rules({ ...policy, condition: { jobDeploymentStatus: 'Failed' } }),
    ],
    'an unknown submission mode, which only the operator refuses': ['RayJob', { submissionMode: 'Carrier pigeon' }],
    'an unknown upgrade type of a service, which only the operator refuses': [
      'RayService',
      { rayClusterConfig: clusterSpec(), upgradeStrategy: { type: 'Slowly' } },
    ],
    'a job with nothing in it, which only the operator refuses': ['RayJob', {}],
    'two worker groups of one name, which only the operator refuses': [
      'RayCluster',
      clusterSpec({ workerGroupSpecs: [workerGroup('a'), workerGroup('a')] }),
    ],
  };

  it.each(Object.entries(accepted))('%s', async (_, [kind, spec]) => {
    const answer = await ray.dryRun(kind, spec);
    expect(surprise(answer, 201)).toBeUndefined();
  });
});

describe('an update may not change', () => {
  const other = 'kueue.x-k8s.io/multikueue';
  const ours = 'ray.io/kuberay-operator';

  it.each([
    ['RayCluster', clusterSpec({ managedBy: ours })],
    ['RayJob', { rayClusterSpec: clusterSpec(), managedBy: ours }],
    ['RayService', { rayClusterConfig: clusterSpec(), managedBy: ours }],
  ])('managedBy of a %s', async (kind, spec) => {
    expect((await ray.create(kind, 'managed', spec)).status).toBe(201);
    const answer = await ray.patch(kind, 'managed', { spec: { managedBy: other } });
    expect(answer.status).toBe(422);
    expect(complaints(answer)['spec.managedBy']).toBe(`Invalid value: "${other}": the managedBy field is immutable`);
    expect((await ray.get(kind, 'managed')).spec.managedBy).toBe(ours);
  });

  it('the backend that keeps the state of the head', async () => {
    await ray.create('RayCluster', 'backed', clusterSpec({ gcsFaultToleranceOptions: { backend: 'redis' } }));
    const change = { spec: { gcsFaultToleranceOptions: { backend: 'rocksdb' } } };
    const answer = await ray.patch('RayCluster', 'backed', change);
    expect(answer.status).toBe(422);
    expect(complaints(answer)['spec.gcsFaultToleranceOptions.backend']).toBe(
      'Invalid value: "rocksdb": gcsFaultToleranceOptions.backend is immutable',
    );
  });

  it('but it may set either of them for the first time', async () => {
    await ray.create('RayCluster', 'unset', clusterSpec({ gcsFaultToleranceOptions: {} }));
    const change = { spec: { managedBy: ours, gcsFaultToleranceOptions: { backend: 'rocksdb' } } };
    expect((await ray.patch('RayCluster', 'unset', change)).status).toBe(200);
  });
});
