import { expect } from 'vitest';

/** A rendered object; examples look wherever they like. */
// oxlint-disable-next-line typescript/no-explicit-any -- rendered objects are read freely and asserted on
type Rendered = any;

interface ClusterExample {
  readonly values: object;
  readonly check: (cluster: Rendered) => void;
}

const headOf = (cluster: Rendered) => cluster.spec.headGroupSpec.template.spec;

/** Values of the cluster's chart, keyed by what they are about. */
export const CLUSTER_VALUES: Readonly<Record<string, ClusterExample>> = {
  defaults: {
    values: {},
    check: ({ metadata, spec }) => {
      expect(metadata.name).toBe('raycluster-kuberay');
      expect(spec.headGroupSpec).toMatchObject({ serviceType: 'ClusterIP', rayStartParams: {} });
      expect(spec.headGroupSpec.template.spec.containers[0]).toMatchObject({
        name: 'ray-head',
        image: 'rayproject/ray:2.52.0',
        resources: { limits: { cpu: '1', memory: '5Gi' } },
        volumeMounts: [{ name: 'log-volume', mountPath: '/tmp/ray' }],
      });
      expect(spec.workerGroupSpecs).toHaveLength(1);
      expect(spec.workerGroupSpecs[0]).toMatchObject({
        groupName: 'workergroup',
        replicas: 1,
        minReplicas: 1,
        maxReplicas: 5,
        numOfHosts: 1,
      });
    },
  },
  names: {
    values: { fullnameOverride: 'mine', annotations: { a: 'b' } },
    check: ({ metadata }) => expect(metadata).toMatchObject({ name: 'mine', annotations: { a: 'b' } }),
  },
  images: {
    values: {
      image: { repository: 'x/ray', tag: '2.60.0' },
      head: { image: { tag: '2.60.0-gpu' } },
      imagePullSecrets: [{ name: 's' }],
    },
    check: (cluster) => {
      expect(headOf(cluster).containers[0].image).toBe('x/ray:2.60.0-gpu');
      expect(cluster.spec.workerGroupSpecs[0].template.spec.containers[0].image).toBe('x/ray:2.60.0');
      expect(headOf(cluster).imagePullSecrets).toEqual([{ name: 's' }]);
    },
  },
  'fault tolerance': {
    values: {
      gcsFaultTolerance: {
        enabled: true,
        redisAddress: 'redis:6379',
        externalStorageNamespace: 'ns',
        redisPassword: { value: 'p' },
        redisUsername: { value: 'u' },
      },
    },
    check: ({ spec }) =>
      expect(spec.gcsFaultToleranceOptions).toEqual({
        redisAddress: 'redis:6379',
        externalStorageNamespace: 'ns',
        redisPassword: { value: 'p' },
        redisUsername: { value: 'u' },
      }),
  },
  variables: {
    values: {
      common: { containerEnv: [{ name: 'A', value: '1' }] },
      head: { containerEnv: [{ name: 'B', value: '2' }] },
    },
    check: (cluster) => {
      expect(headOf(cluster).containers[0].env).toEqual([
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ]);
      expect(cluster.spec.workerGroupSpecs[0].template.spec.containers[0].env).toEqual([{ name: 'A', value: '1' }]);
    },
  },
  autoscaling: {
    values: {
      head: {
        rayVersion: '2.52.0',
        enableInTreeAutoscaling: true,
        autoscalerOptions: { version: 'v2', idleTimeoutSeconds: 30 },
      },
    },
    check: ({ spec }) =>
      expect(spec).toMatchObject({
        rayVersion: '2.52.0',
        enableInTreeAutoscaling: true,
        autoscalerOptions: { version: 'v2' },
      }),
  },
  'start parameters': {
    values: { head: { initArgs: { port: 6380 }, rayStartParams: { 'num-cpus': 0, block: true } } },
    check: ({ spec }) =>
      expect(spec.headGroupSpec.rayStartParams).toEqual({ port: '6380', 'num-cpus': '0', block: 'true' }),
  },
  'no worker group': {
    values: { worker: { disabled: true } },
    check: ({ spec }) => expect(spec.workerGroupSpecs ?? []).toEqual([]),
  },
  'more worker groups': {
    values: { additionalWorkerGroups: { smallGroup: { disabled: false, replicas: 2 } } },
    check: ({ spec }) => {
      expect(spec.workerGroupSpecs[1]).toMatchObject({ groupName: 'smallGroup', replicas: 2, maxReplicas: 5 });
      expect(spec.workerGroupSpecs[1].template.spec.containers[0].resources.limits).toEqual({
        cpu: '1',
        memory: '1Gi',
      });
    },
  },
  'everything about pods': {
    values: {
      worker: {
        labels: { a: 'b' },
        annotations: { c: 'd' },
        initContainers: [{ name: 'i', image: 'x' }],
        sidecarContainers: [{ name: 's', image: 'x' }],
        command: ['a'],
        args: ['b'],
        envFrom: [{ secretRef: { name: 's' } }],
        ports: [{ containerPort: 80, name: 'p' }],
        lifecycle: { preStop: { exec: { command: ['x'] } } },
        nodeSelector: { e: 'f' },
        affinity: {},
        tolerations: [{ operator: 'Exists' }],
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
        priorityClassName: 'high',
        restartPolicy: 'Never',
        runtimeClassName: 'nvidia',
        serviceAccountName: 'account',
        podSecurityContext: { fsGroup: 1 },
        securityContext: { runAsUser: 2 },
        dnsConfig: { nameservers: ['1.1.1.1'] },
        resourceClaims: [{ name: 'gpu', resourceClaimName: 'g' }],
      },
    },
    check: ({ spec }) => {
      const { metadata, spec: pod } = spec.workerGroupSpecs[0].template;
      expect(metadata).toMatchObject({ labels: { a: 'b' }, annotations: { c: 'd' } });
      expect(pod).toMatchObject({
        initContainers: [{ name: 'i' }],
        nodeSelector: { e: 'f' },
        tolerations: [{ operator: 'Exists' }],
        topologySpreadConstraints: [{ topologyKey: 'zone' }],
        priorityClassName: 'high',
        restartPolicy: 'Never',
        runtimeClassName: 'nvidia',
        serviceAccountName: 'account',
        securityContext: { fsGroup: 1 },
        dnsConfig: { nameservers: ['1.1.1.1'] },
        resourceClaims: [{ name: 'gpu' }],
      });
      expect(pod.containers).toMatchObject([
        {
          command: ['a'],
          args: ['b'],
          envFrom: [{ secretRef: { name: 's' } }],
          ports: [{ containerPort: 80 }],
          lifecycle: { preStop: {} },
          securityContext: { runAsUser: 2 },
        },
        { name: 's' },
      ]);
    },
  },
  'what only this chart has': {
    values: { spec: { suspend: true, upgradeStrategy: { type: 'Recreate' } } },
    check: ({ spec }) => expect(spec).toMatchObject({ suspend: true, upgradeStrategy: { type: 'Recreate' } }),
  },
};
