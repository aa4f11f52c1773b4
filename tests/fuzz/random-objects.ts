import fc from 'fast-check';
import { randomKinds } from '../real/random-writes.ts';
import type { Plural } from './operation.ts';

/** What may be sent of a kind: whole objects, parts of them, and parts of their status. */
export interface RandomObjects {
  readonly whole: fc.Arbitrary<object>;
  readonly part: fc.Arbitrary<object>;
  readonly status: fc.Arbitrary<object>;
}

const text = fc.constantFrom('x', 'y');
const flag = fc.boolean();

function optional(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(fields, { requiredKeys: [] });
}

function mapOf(keys: readonly string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  return optional(Object.fromEntries(keys.map((key) => [key, value])));
}

/** Mostly what is right, sometimes what is wrong. */
function mostly<T>(right: fc.Arbitrary<T>, ...wrong: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });
}

const metadata = optional({
  labels: mostly(mapOf(['a', 'b'], mostly(text, 'not a value', 1)), { 'not a key': 'x' }, 'x', null),
  annotations: mostly(mapOf(['c', 'd'], text), { 'not a key': 'x' }),
  finalizers: mostly(fc.shuffledSubarray(['a/a', 'b/b']), ['not a finalizer'], ['a'], 'x'),
  ownerReferences: mostly(
    fc.constant([]),
    [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u' }],
    [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }],
  ),
  name: mostly(fc.constant(undefined), 'other', 'Bad_Name'),
}).map(({ name, ...rest }) => (name === undefined ? rest : { ...rest, name }));

const quantity = mostly(fc.constantFrom('1', '2Gi', '2'), '-1', 'x');
const cpu = mostly(fc.constantFrom('1', '500m', '0.5', 1), '-1', 1.5);
const resources = optional({
  requests: optional({ cpu, memory: quantity }),
  limits: optional({ cpu, memory: quantity, 'nvidia.com/gpu': quantity }),
});
const envVar = (name: string) =>
  fc.oneof(
    text.map((value) => ({ name, value })),
    fc.constant({ name, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
    fc.constant({ name, valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }),
  );
const env = fc.shuffledSubarray(['A', 'B', 'C']).chain((names) => fc.tuple(...names.map(envVar)));
const ports = mostly(
  fc.shuffledSubarray([
    { containerPort: 80 },
    { containerPort: 81, name: 'web' },
    { containerPort: 80, protocol: 'UDP' },
  ]),
  [{ containerPort: 0 }],
  [{ containerPort: 70000, name: 'Bad' }],
);
const probe = optional({
  httpGet: fc.constant({ path: '/', port: 80 }),
  periodSeconds: mostly(fc.constantFrom(1, 5), -1),
  failureThreshold: fc.constantFrom(1, 3),
});
const container = (name: string) =>
  optional({
    image: mostly(fc.constantFrom('a', 'b:v1'), ''),
    env,
    ports,
    resources,
    readinessProbe: probe,
    imagePullPolicy: mostly(fc.constantFrom('Always', 'Never'), 'X'),
    command: fc.array(text, { maxLength: 2 }),
    volumeMounts: mostly(fc.constantFrom([], [{ name: 'v', mountPath: '/v' }]), [{ name: 'w', mountPath: '/w' }]),
  }).map((more) => ({ name, ...more }));
const wholeContainer = (name: string) => container(name).map((more) => ({ image: 'a', ...more }));
const containers = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(wholeContainer('main')) },
  { weight: 2, arbitrary: fc.tuple(wholeContainer('main'), wholeContainer('side')) },
);
const podFields = {
  restartPolicy: mostly(fc.constantFrom('Never', 'OnFailure'), 'X', 'Always'),
  terminationGracePeriodSeconds: mostly(fc.constantFrom(0, 5, 30), -1),
  tolerations: mostly(fc.constantFrom([], [{ key: 'k', operator: 'Exists' }]), [{ key: 'k', operator: 'X' }]),
  activeDeadlineSeconds: mostly(fc.constantFrom(10, 20), 0),
  nodeSelector: mapOf(['a'], text),
  volumes: fc.constantFrom([{ name: 'v', emptyDir: {} }], [{ name: 'v', configMap: { name: 'c' } }]),
};
const podSpec = fc
  .tuple(optional(podFields), containers, fc.boolean())
  .map(([more, list, isPlaced]) => ({ ...more, containers: list, ...(isPlaced ? { nodeName: 'n' } : {}) }));
const podPart = optional({
  metadata,
  spec: optional({ ...podFields, containers: fc.tuple(container('main')) }),
});
/** What may be sent to a pod's `resize`: mostly amounts, sometimes what does not belong there. */
export const podResize = fc.record(
  {
    metadata: fc.constantFrom({ labels: { a: 'x' } }, { annotations: { c: 'x' } }),
    spec: optional({
      containers: fc.oneof(
        { weight: 4, arbitrary: fc.tuple(resources.map((given) => ({ name: 'main', resources: given }))) },
        { weight: 1, arbitrary: containers },
        { weight: 1, arbitrary: fc.tuple(container('main')) },
      ),
      activeDeadlineSeconds: fc.constantFrom(10, 20),
      nodeSelector: mapOf(['a'], text),
    }),
  },
  { requiredKeys: ['spec'] },
);
const podStatus = optional({
  phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
  podIP: fc.constantFrom('1.2.3.4', '1.2.3.5'),
  conditions: fc.constantFrom(
    [],
    [{ type: 'Ready', status: 'True' }],
    [
      { type: 'Ready', status: 'False' },
      { type: 'X', status: 'True' },
    ],
  ),
  message: text,
  containerStatuses: fc.constantFrom(
    [],
    [{ name: 'main', image: 'a', imageID: '', ready: true, restartCount: 0, state: { running: {} } }],
  ),
});

const nodeAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
  },
};
const podAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z', labelSelector: { matchLabels: { a: 'b' } } }],
};
const jobFields = {
  parallelism: mostly(fc.constantFrom(1, 2), -1),
  completions: mostly(fc.constantFrom(1, 2), -1),
  backoffLimit: mostly(fc.constantFrom(0, 3), -1),
  activeDeadlineSeconds: mostly(fc.constantFrom(10, 20), -1),
  ttlSecondsAfterFinished: mostly(fc.constantFrom(0, 20), -1),
  suspend: mostly(flag, 'x'),
};
/** What whoever queues a job may change of its pods, and what he may not. */
const jobTemplate = optional({
  metadata: optional({ labels: mapOf(['l', 'm'], text), annotations: mapOf(['c'], text) }),
  spec: optional({
    nodeSelector: mapOf(['a'], text),
    tolerations: podFields.tolerations,
    schedulingGates: mostly(fc.constantFrom([], [{ name: 'a/a' }]), [{ name: 'not a name' }]),
    affinity: fc.constantFrom<unknown>(null, {}, { nodeAffinity }, { podAffinity }, { nodeAffinity, podAffinity }),
    containers: fc.oneof(
      { weight: 4, arbitrary: fc.tuple(resources.map((given) => ({ name: 'main', resources: given }))) },
      { weight: 1, arbitrary: fc.tuple(container('main')) },
    ),
    terminationGracePeriodSeconds: fc.constantFrom(5, 30),
  }),
});
const jobSpec = fc
  .tuple(optional(jobFields), podSpec, mapOf(['l', 'm'], text))
  .map(([more, { nodeName: _nodeName, ...spec }, labels]) => ({
    ...more,
    template: { metadata: { labels }, spec: { restartPolicy: 'Never', ...spec } },
  }));
/** New jobs without labels are left out of the comparison; it would be a pity about the others. */
function withLabel(meta: Record<string, unknown>): object {
  const { labels = {} } = meta;
  return { ...meta, labels: typeof labels === 'object' ? { j: 'x', ...labels } : labels };
}

const condition = (type: string, status: string) => ({
  type,
  status,
  reason: 'R',
  message: '',
  lastTransitionTime: '2020-01-01T00:00:00Z',
});
const jobStatus = optional({
  active: fc.constantFrom(0, 1),
  failed: fc.constantFrom(0, 1),
  ready: fc.constantFrom(0, 1),
  startTime: fc.constantFrom('2020-01-01T00:00:00Z', null),
  conditions: fc.constantFrom([], [condition('Suspended', 'True')], [condition('Suspended', 'False')]),
});

const base64 = mostly(fc.constantFrom('eA==', 'eQ==', ''), 'not base64!');
const secretFields = {
  metadata,
  data: mapOf(['k', 'l'], base64),
  stringData: mapOf(['l', 'm'], text),
  type: mostly(fc.constantFrom('Opaque', 'some/type'), 'kubernetes.io/tls', 'kubernetes.io/basic-auth'),
  immutable: mostly(fc.constant(undefined), true),
};
const configMapFields = {
  metadata,
  data: mostly(mapOf(['k', 'l', 'm'], mostly(text, 1)), { 'bad key': 'x' }, 'x'),
  binaryData: mapOf(['n', 'k'], base64),
  immutable: mostly(fc.constant(undefined), true),
};

const servicePort = (number: number) =>
  optional({
    targetPort: mostly(fc.constantFrom(1, 'web'), 0, 'Bad_Name', 70000),
    protocol: mostly(fc.constantFrom('TCP', 'UDP'), 'X'),
    appProtocol: fc.constantFrom('http'),
  }).map((more) => ({ name: `p${number}`, port: number, ...more }));
const servicePorts = mostly(
  fc.shuffledSubarray([80, 81, 82], { minLength: 1 }).chain((numbers) => fc.tuple(...numbers.map(servicePort))),
  [],
  [{ port: 80 }, { port: 81 }],
  [{ port: 0 }],
);
const serviceFields = {
  selector: mapOf(['s', 't'], mostly(text, 'not a value')),
  sessionAffinity: mostly(fc.constantFrom('None', 'ClientIP'), 'X'),
  publishNotReadyAddresses: flag,
  type: mostly(fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer'), 'ExternalName', 'X'),
  clusterIP: mostly(fc.constantFrom(undefined, 'None'), '', '1.2.3.4'),
  externalTrafficPolicy: mostly(fc.constantFrom(undefined, 'Cluster', 'Local'), 'X'),
};
const serviceStatus = optional({
  loadBalancer: fc.constantFrom({}, { ingress: [{ ip: '1.2.3.4' }] }, { ingress: [{ ip: 'x' }] }),
});

const rayStatus = optional({
  state: mostly(fc.constantFrom('ready', 'suspended'), 'x', 1),
  desiredWorkerReplicas: mostly(fc.constantFrom(1, 2), 'x'),
  conditions: fc.constantFrom(
    [],
    [condition('A', 'True')],
    [condition('B', 'True'), condition('A', 'False')],
    [condition('A', 'True'), condition('A', 'True')],
  ),
  head: optional({ podIP: text, serviceIP: text }),
});
const rayMetadata = (objects: fc.Arbitrary<object>) =>
  fc
    .tuple(objects, mostly(fc.constant(undefined), 'x', 1, [], { suspend: 'x' }, { headGroupSpec: {} }, { unknown: 1 }))
    .map(([body, spec]) => (spec === undefined ? body : { ...body, spec }));

/** What may be sent of each kind. */
export const randomObjects: Readonly<Record<Plural, RandomObjects>> = {
  rayclusters: {
    whole: rayMetadata(randomKinds.rayClusters.whole),
    part: rayMetadata(randomKinds.rayClusters.part),
    status: rayStatus,
  },
  configmaps: { whole: optional(configMapFields), part: optional(configMapFields), status: fc.constant({}) },
  secrets: { whole: optional(secretFields), part: optional(secretFields), status: fc.constant({}) },
  services: {
    whole: fc
      .tuple(metadata, optional(serviceFields), servicePorts)
      .map(([meta, spec, list]) => ({ metadata: meta, spec: { ...spec, ports: list } })),
    part: optional({ metadata, spec: optional({ ...serviceFields, ports: servicePorts }) }),
    status: serviceStatus,
  },
  pods: {
    whole: fc.tuple(metadata, podSpec).map(([meta, spec]) => ({ metadata: meta, spec })),
    part: podPart,
    status: podStatus,
  },
  jobs: {
    whole: fc.tuple(metadata, jobSpec).map(([meta, spec]) => ({ metadata: withLabel(meta), spec })),
    part: fc.oneof(
      { weight: 2, arbitrary: optional({ metadata, spec: optional(jobFields) }) },
      { weight: 1, arbitrary: fc.record({ spec: optional({ suspend: flag, template: jobTemplate }) }) },
    ),
    status: jobStatus,
  },
};
