import { defaultFeatureGates, type RayCluster, type RayClusterSpec, readOperatorEnv } from '@manta/api';
import { describe, expect, it } from 'vitest';
import type { BuildContext } from './context.ts';
import { buildHeadPod, stampHeadPod } from './head-pod.ts';
import { atPlace, buildWorkerPod } from './worker-pod.ts';

const context: BuildContext = {
  env: readOperatorEnv({}),
  gates: defaultFeatureGates(),
  operatorVersion: '0.0.0-test',
  podDefaults: {},
};
const container = {
  name: 'ray-head',
  image: 'repo/image:custom',
  resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
};
const spec: RayClusterSpec = {
  rayVersion: '2.52.0',
  headGroupSpec: { template: { spec: { containers: [container] } }, rayStartParams: {} },
};
const cluster: RayCluster = { metadata: { name: 'raycluster-sample', namespace: 'default', uid: 'u-1' }, spec };

const RAY_START =
  'ray start --head  --block  --dashboard-agent-listen-port=52365  --dashboard-host=0.0.0.0  --memory=1073741824  --metrics-export-port=8080  --num-cpus=1 ';
const HEALTH =
  'wget --tries 1 -T 2 -q -O- http://localhost:52365/api/local_raylet_healthz | grep success && wget --tries 1 -T 10 -q -O- http://localhost:8265/api/gcs_healthz | grep success';

describe('buildHeadPod()', () => {
  it('makes the smallest head pod exactly as the peer does', () => {
    const probe = {
      exec: { command: ['bash', '-c', HEALTH] },
      timeoutSeconds: 5,
      periodSeconds: 5,
      successThreshold: 1,
    };
    expect(stampHeadPod(buildHeadPod(cluster, spec, context), 'HASH', context.operatorVersion)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        generateName: 'raycluster-sample-head-',
        namespace: 'default',
        labels: {
          'app.kubernetes.io/created-by': 'kuberay-operator',
          'app.kubernetes.io/name': 'kuberay',
          'ray.io/cluster': 'raycluster-sample',
          'ray.io/group': 'headgroup',
          'ray.io/identifier': 'raycluster-sample-head',
          'ray.io/is-ray-node': 'yes',
          'ray.io/node-type': 'head',
        },
        annotations: {
          'ray.io/ft-enabled': 'false',
          'ray.io/kuberay-version': '0.0.0-test',
          'ray.io/upgrade-strategy-recreate-hash': 'HASH',
        },
        ownerReferences: [
          {
            apiVersion: 'ray.io/v1',
            kind: 'RayCluster',
            name: 'raycluster-sample',
            uid: 'u-1',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        containers: [
          {
            ...container,
            command: ['/bin/bash', '-c', '--'],
            // oxlint-disable-next-line no-template-curly-in-string
            args: ['ulimit -n ${RAY_START_ULIMIT_OPEN_FILES:-65536}; ' + RAY_START],
            ports: [{ name: 'metrics', containerPort: 8080 }],
            env: [
              { name: 'RAY_CLUSTER_NAME', valueFrom: { fieldRef: { fieldPath: "metadata.labels['ray.io/cluster']" } } },
              { name: 'RAY_CLUSTER_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
              { name: 'RAY_CLOUD_INSTANCE_ID', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'RAY_NODE_TYPE_NAME', valueFrom: { fieldRef: { fieldPath: "metadata.labels['ray.io/group']" } } },
              { name: 'KUBERAY_GEN_RAY_START_CMD', value: RAY_START },
              { name: 'RAY_PORT', value: '6379' },
              { name: 'RAY_ADDRESS', value: '127.0.0.1:6379' },
              { name: 'RAY_USAGE_STATS_KUBERAY_IN_USE', value: '1' },
              { name: 'RAY_USAGE_STATS_EXTRA_TAGS', value: 'kuberay_version=0.0.0-test;kuberay_crd=RayCluster' },
              { name: 'RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE', value: '1' },
            ],
            volumeMounts: [{ name: 'shared-mem', mountPath: '/dev/shm' }],
            livenessProbe: { ...probe, initialDelaySeconds: 30, failureThreshold: 120 },
            readinessProbe: { ...probe, initialDelaySeconds: 10, failureThreshold: 10 },
          },
        ],
        volumes: [{ name: 'shared-mem', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } }],
      },
    });
  });

  it("never changes the user's template", () => {
    const frozen = structuredClone(spec);
    buildHeadPod(cluster, spec, context);
    expect(spec).toEqual(frozen);
  });
});

it('buildWorkerPod() starts Ray towards the head, with GPUs from the limits', () => {
  const group = {
    groupName: 'gpu',
    rayStartParams: { port: '6379' },
    template: {
      metadata: { name: 'ignored' },
      spec: {
        containers: [
          { ...container, name: 'w', resources: { limits: { cpu: '1', memory: '1Gi', 'nvidia.com/gpu': '3' } } },
        ],
      },
    },
  };
  const pod = atPlace(buildWorkerPod(cluster, spec, group, context), { index: 0 });
  expect(pod.metadata?.generateName).toBe('raycluster-sample-gpu-worker-');
  expect(pod.metadata?.name).toBeUndefined();
  expect(pod.metadata?.labels?.['ray.io/worker-group-replica-index']).toBe('0');
  const env = Object.fromEntries(
    pod.spec?.containers[0]?.env?.map((variable) => [variable.name, variable.value]) ?? [],
  );
  expect(env['KUBERAY_GEN_RAY_START_CMD']).toBe(
    'ray start  --address=raycluster-sample-head-svc.default.svc.cluster.local:6379  --block  --dashboard-agent-listen-port=52365  --memory=1073741824  --metrics-export-port=8080  --num-cpus=1  --num-gpus=3  --port=6379 ',
  );
  expect(env['RAY_ADDRESS']).toBe('raycluster-sample-head-svc.default.svc.cluster.local:6379');
  expect(pod.spec?.initContainers?.map((c) => c.name)).toEqual(['wait-gcs-ready']);
});
