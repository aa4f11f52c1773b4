import { beforeAll, describe, expect, it } from 'vitest';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import {
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

interface Case {
  readonly kind: string;
  readonly written: object;
  readonly stored: object;
}

const container = { name: 'ray', image: 'ray' };
const template = { spec: { containers: [container] } };
const head = { headGroupSpec: { template } };

/** What a user writes, and the whole spec that the server then keeps. */
const cases: Readonly<Record<string, Case>> = {
  'a worker group gets its replicas, limits, hosts and priority': {
    kind: 'RayCluster',
    written: clusterSpec({ workerGroupSpecs: [workerGroup('a')] }),
    stored: {
      ...head,
      workerGroupSpecs: [
        {
          groupName: 'a',
          template,
          replicas: 0,
          minReplicas: 0,
          maxReplicas: 2147483647,
          numOfHosts: 1,
          priority: 0,
        },
      ],
    },
  },
  'what a user gave stays': {
    kind: 'RayCluster',
    written: clusterSpec({ workerGroupSpecs: [workerGroup('a', { replicas: 3, numOfHosts: 4, maxReplicas: 9 })] }),
    stored: {
      ...head,
      workerGroupSpecs: [
        { groupName: 'a', template, replicas: 3, minReplicas: 0, maxReplicas: 9, numOfHosts: 4, priority: 0 },
      ],
    },
  },
  'a head group and empty options get nothing': {
    kind: 'RayCluster',
    written: clusterSpec({ autoscalerOptions: {}, authOptions: {}, gcsFaultToleranceOptions: { storage: {} } }),
    stored: { ...head, autoscalerOptions: {}, authOptions: {}, gcsFaultToleranceOptions: { storage: {} } },
  },
  'a network policy denies everything': {
    kind: 'RayCluster',
    written: clusterSpec({ networkPolicy: {} }),
    stored: { ...head, networkPolicy: { mode: 'DenyAll' } },
  },
  'ports of containers and of services are TCP': {
    kind: 'RayCluster',
    written: clusterSpec({
      headGroupSpec: headGroup({
        template: podTemplate({ ports: [{ containerPort: 80 }] }),
        headService: { spec: { ports: [{ port: 80 }] } },
      }),
    }),
    stored: {
      headGroupSpec: {
        template: { spec: { containers: [{ ...container, ports: [{ containerPort: 80, protocol: 'TCP' }] }] } },
        headService: { spec: { ports: [{ port: 80, protocol: 'TCP' }] } },
      },
    },
  },
  'references without a name get an empty one': {
    kind: 'RayCluster',
    written: clusterSpec({
      headGroupSpec: {
        template: podTemplate({ env: [{ name: 'A', valueFrom: { secretKeyRef: { key: 'k' } } }] }),
      },
    }),
    stored: {
      headGroupSpec: {
        template: {
          spec: {
            containers: [{ ...container, env: [{ name: 'A', valueFrom: { secretKeyRef: { key: 'k', name: '' } } }] }],
          },
        },
      },
    },
  },
  'a job is submitted by a Kubernetes Job, once, and kept': {
    kind: 'RayJob',
    written: { entrypoint: 'x' },
    stored: { entrypoint: 'x', submissionMode: 'K8sJobMode', backoffLimit: 0, ttlSecondsAfterFinished: 0 },
  },
  'a deletion rule acts at once': {
    kind: 'RayJob',
    written: { deletionStrategy: { deletionRules: [{ policy: 'DeleteSelf', condition: { jobStatus: 'FAILED' } }] } },
    stored: {
      submissionMode: 'K8sJobMode',
      backoffLimit: 0,
      ttlSecondsAfterFinished: 0,
      deletionStrategy: {
        deletionRules: [{ policy: 'DeleteSelf', condition: { jobStatus: 'FAILED', ttlSeconds: 0 } }],
      },
    },
  },
  'an incremental upgrade may double the capacity': {
    kind: 'RayService',
    written: {
      rayClusterConfig: clusterSpec(),
      upgradeStrategy: {
        clusterUpgradeOptions: { gatewayClassName: 'g', stepSizePercent: 5, intervalSeconds: 10 },
      },
    },
    stored: {
      rayClusterConfig: head,
      upgradeStrategy: {
        clusterUpgradeOptions: {
          gatewayClassName: 'g',
          stepSizePercent: 5,
          intervalSeconds: 10,
          maxSurgePercent: 100,
        },
      },
    },
  },
  'the job of a cron job gets what a job gets': {
    kind: 'RayCronJob',
    written: { schedule: '@daily', jobTemplate: { rayClusterSpec: clusterSpec() } },
    stored: {
      schedule: '@daily',
      jobTemplate: {
        rayClusterSpec: head,
        submissionMode: 'K8sJobMode',
        backoffLimit: 0,
        ttlSecondsAfterFinished: 0,
      },
    },
  },
};

describe('the server keeps defaults:', () => {
  it.each(Object.entries(cases))('%s', async (title, { kind, written, stored }) => {
    const name = `case-${Object.keys(cases).indexOf(title)}`;
    const made = await ray.create(kind, name, written);
    expect(surprise(made, 201)).toBeUndefined();
    expect((await ray.get(kind, name)).spec).toEqual(stored);
  });

  it('a status that speaks of no tries counts none', async () => {
    await ray.create('RayJob', 'tried', { entrypoint: 'x' });
    await ray.patch('RayJob', 'tried', { status: { jobId: 'a' } }, 'status');
    expect((await ray.get('RayJob', 'tried')).status).toEqual({ jobId: 'a', failed: 0, succeeded: 0 });
  });
});
