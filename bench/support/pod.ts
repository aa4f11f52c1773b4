/** A worker pod as the API server stores it, about 14 KB of JSON, of which a third is managedFields. */
export function realisticPod(i: number): Record<string, unknown> {
  const cluster = `cluster-${Math.floor(i / 10)}`;
  const name = `${cluster}-workers-worker-${i.toString(36).padStart(5, 'x')}`;
  const env = Array.from({ length: 15 }, (_, n) => ({
    name: `RAY_SETTING_NUMBER_${n}`,
    value: `some value ${n} of ${cluster}`,
  }));
  const container = {
    name: 'ray-worker',
    image: 'rayproject/ray:2.52.0',
    command: ['/bin/bash', '-c', '--'],
    args: [
      `ulimit -n 65536; ray start --address=${cluster}-head-svc.default.svc.cluster.local:6379 --block --num-cpus=1`,
    ],
    env,
    ports: [{ name: 'metrics', containerPort: 8080, protocol: 'TCP' }],
    resources: { limits: { cpu: '1', memory: '2Gi' }, requests: { cpu: '1', memory: '2Gi' } },
    livenessProbe: {
      exec: { command: ['bash', '-c', 'wget --tries 1 -T 2 -q -O- http://localhost:52365/api/local_raylet_healthz'] },
    },
    readinessProbe: {
      exec: { command: ['bash', '-c', 'wget --tries 1 -T 2 -q -O- http://localhost:52365/api/local_raylet_healthz'] },
    },
    volumeMounts: [{ name: 'shared-mem', mountPath: '/dev/shm' }],
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      generateName: `${cluster}-workers-worker-`,
      namespace: `team-${i % 10}`,
      uid: `00000000-0000-4000-8000-${i.toString(16).padStart(12, '0')}`,
      resourceVersion: String(1_000_000 + i),
      creationTimestamp: '2026-08-01T12:00:00Z',
      labels: {
        'app.kubernetes.io/created-by': 'kuberay-operator',
        'app.kubernetes.io/name': 'kuberay',
        'ray.io/cluster': cluster,
        'ray.io/group': 'workers',
        'ray.io/identifier': `${cluster}-worker`,
        'ray.io/is-ray-node': 'yes',
        'ray.io/node-type': 'worker',
        'ray.io/worker-group-replica-index': String(i % 10),
      },
      ownerReferences: [
        {
          apiVersion: 'ray.io/v1',
          kind: 'RayCluster',
          name: cluster,
          uid: `11111111-0000-4000-8000-${cluster}`,
          controller: true,
        },
      ],
      managedFields: ['kuberay-operator', 'kubelet'].map((manager) => ({
        manager,
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-08-01T12:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: Object.fromEntries(
          Array.from({ length: 45 }, (_, n) => [`f:field-number-${n}`, { '.': {}, 'f:name': {}, 'f:value': {} }]),
        ),
      })),
    },
    spec: {
      containers: [container],
      initContainers: [{ ...container, name: 'wait-gcs-ready' }],
      volumes: Array.from({ length: 4 }, (_, n) => ({
        name: `volume-${n}`,
        emptyDir: { medium: 'Memory', sizeLimit: '1Gi' },
      })),
      restartPolicy: 'Always',
      nodeName: `node-${i % 200}`,
      serviceAccountName: 'default',
    },
    status: {
      phase: 'Running',
      podIP: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`,
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({
          type,
          status: 'True',
          lastTransitionTime: '2026-08-01T12:00:10Z',
        }),
      ),
      containerStatuses: [
        { name: 'ray-worker', ready: true, restartCount: 0, state: { running: { startedAt: '2026-08-01T12:00:09Z' } } },
      ],
    },
  };
}
