import {
  apply,
  condition,
  container,
  create,
  force,
  json,
  merge,
  pod,
  podSpec,
  port,
  raw,
  type Scenario,
  service,
  strategic,
  update,
} from './patch-steps.ts';
import { builtinTwin, type TwinKind } from './patch-twin.ts';

/** Config maps: the plainest kind there is. */
export const configMaps = builtinTwin('v1', 'ConfigMap', 'configmaps');
/** Services: keyed lists, an atomic map. */
export const services = builtinTwin('v1', 'Service', 'services');
const pods = builtinTwin('v1', 'Pod', 'pods');
const jobs = builtinTwin('batch/v1', 'Job', 'jobs');
const claims = builtinTwin('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims');
const ingresses = builtinTwin('networking.k8s.io/v1', 'Ingress', 'ingresses');
const budgets = builtinTwin('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets');
const quotas = builtinTwin('v1', 'ResourceQuota', 'resourcequotas');
const nodes = builtinTwin('v1', 'Node', 'nodes');
const volumes = builtinTwin('v1', 'PersistentVolume', 'persistentvolumes');
const leases = builtinTwin('coordination.k8s.io/v1', 'Lease', 'leases');
const roles = builtinTwin('rbac.authorization.k8s.io/v1', 'Role', 'roles');
const networkPolicies = builtinTwin('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies');
const secrets = builtinTwin('v1', 'Secret', 'secrets');

/** What several managers do to one object of a built-in kind. */
export const builtinScenarios: Readonly<Record<string, Scenario>> = {
  'config maps are created, applied, taken over and given back': {
    kind: configMaps,
    steps: [
      create('maker', { data: { a: '1', b: '2' }, metadata: { labels: { x: 'y' }, finalizers: ['q/q'] } }),
      apply('one', { data: { a: '1' } }),
      apply('one', { data: { a: '2', b: '3' } }),
      force('one', { data: { a: '2', b: '3' } }),
      apply('one', { data: { a: '2', b: '3' } }),
      apply('two', { data: { a: '2' } }),
      merge('patcher', { data: { b: '9', c: '1' } }),
      apply('one', {}),
      json('patcher', [
        { op: 'remove', path: '/data/a' },
        { op: 'add', path: '/data/d', value: 'x' },
      ]),
      update('maker', { data: { z: '1' } }),
      apply('two', { data: { z: '2' }, metadata: { labels: { x: 'z' }, finalizers: ['q/q', 'r/r'] } }),
      merge('patcher', { metadata: { finalizers: ['r/r'], labels: null } }),
      strategic('patcher', { metadata: { annotations: { p: 'q' } } }),
    ],
  },
  'config maps are applied from nothing, with nulls and empty maps': {
    kind: configMaps,
    steps: [
      apply('one', { data: { a: '1', b: '2' }, metadata: { labels: { x: 'y' }, finalizers: ['q/q'] } }),
      apply('one', { data: { a: '1', b: '2' }, metadata: { labels: { x: 'y' }, finalizers: ['q/q'] } }),
      apply('two', { data: { a: '1' } }),
      apply('two', { data: { a: '2' } }),
      apply('two', { data: { a: '2', b: '3' }, metadata: { labels: { x: 'z' } } }),
      merge('three', { data: { b: '9', c: '4' } }),
      apply('two', { data: { a: '5', b: '2', c: '5' } }),
      force('two', { data: { a: '5', b: '2', c: '5' } }),
      apply('two', {}),
      apply('one', {}),
      apply('one', { data: { z: null } }),
      apply('one', { data: {} }),
      apply('one', { data: null }),
      apply('one', { metadata: { creationTimestamp: null } }),
      apply('one', { binaryData: { a: 'AA==' }, immutable: false }),
    ],
  },
  'an applied object has to be of the kind and to fit the schema': {
    kind: configMaps,
    steps: [
      create('maker', { data: { a: '1' } }),
      raw({}),
      raw(null),
      raw({ kind: 'ConfigMap', metadata: { name: 'a' } }),
      raw({ apiVersion: 'v1', metadata: { name: 'a' } }),
      raw({ apiVersion: 'v1', kind: 'Pod' }),
      raw({ apiVersion: 'apps/v1', kind: 'ConfigMap' }),
      raw({ apiVersion: 'a/b/c', kind: 'ConfigMap' }),
      raw({ apiVersion: 'v1', kind: 3 }),
      raw({ apiVersion: 'v1', kind: 'ConfigMap', metadata: 'x' }),
      raw({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b', foo: 1 } }),
      apply('one', { metadata: { managedFields: [] } }),
      apply('one', { metadata: { managedFields: [{ manager: 'x' }] } }),
      apply('one', { foo: 1 }),
      apply('one', { data: { a: 1, b: { c: 'd' }, e: [1, 'x'], f: true, g: 1.5 } }),
      apply('one', { data: 'x' }),
      apply('one', { data: ['x'] }),
      apply('one', { immutable: 'x' }),
      apply('one', { immutable: { a: 1, b: [null] } }),
      apply('one', { metadata: { finalizers: ['a/a', 'a/a'] } }),
      apply('one', { metadata: { finalizers: [null] } }),
      apply('one', { metadata: { finalizers: [{}] } }),
      apply('one', { metadata: { finalizers: [[]] } }),
      apply('one', { metadata: { finalizers: 'x' } }),
      apply('one', { metadata: { generation: 'x' } }),
      apply('one', { metadata: { ownerReferences: [{ uid: 'x' }, { uid: 'x' }] } }),
      apply('one', { metadata: { ownerReferences: ['x', null] } }),
    ],
  },
  'an object without managed fields belongs to whoever was there before the first apply': {
    kind: configMaps,
    steps: [
      create('maker', { data: { a: '1' }, metadata: { labels: { l: '1' } } }),
      merge('resetter', { metadata: { managedFields: [{}] } }),
      merge('patcher', { data: { b: '1' } }),
      apply('one', { data: { a: '2' } }),
      apply('one', { data: { a: '1', c: '3' } }),
      force('one', { data: { a: '2', c: '3' } }),
      update('resetter', { metadata: { managedFields: [] } }),
      update('maker', { data: { q: '1' } }),
    ],
  },
  'managers may edit managed fields, but only such as can be read': {
    kind: configMaps,
    steps: [
      create('maker', { data: { a: '1' } }),
      merge('patcher', {
        metadata: {
          managedFields: [
            {
              manager: 'x',
              operation: 'Update',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:a': {} } },
            },
          ],
        },
        data: { b: '2' },
      }),
      merge('patcher', { metadata: { managedFields: [{ manager: 'x', operation: 'Apply', apiVersion: 'v1' }] } }),
      merge('patcher', { metadata: { managedFields: null } }),
    ],
  },
  'owner references are items, owned one by one': {
    kind: configMaps,
    steps: [
      create('maker', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u1' }] } }),
      apply('one', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'b', uid: 'u2' }] } }),
      apply('one', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'c', uid: 'u1' }] } }),
      strategic('patcher', { metadata: { ownerReferences: [{ uid: 'u1', name: 'z' }] } }),
      strategic('patcher', { metadata: { ownerReferences: [{ uid: 'u1', $patch: 'delete' }] } }),
      apply('one', {}),
    ],
  },
  'after ten updaters the oldest become ancient changes': {
    kind: configMaps,
    steps: [
      create('u00', { data: { k00: '' } }),
      ...Array.from({ length: 14 }, (_, i) =>
        merge(`u${String(i + 1).padStart(2, '0')}`, { data: { [`k${i + 1}`]: '1' } }),
      ),
      apply('one', { data: { k1: '2', k2: '1' } }),
    ],
  },
  'kubectl moves from client-side to server-side apply without conflicts': {
    kind: configMaps,
    steps: [
      create('kubectl-client-side-apply', {
        metadata: {
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration':
              '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{},"name":"x"},"data":{"a":"1","b":"2"}}\n',
          },
        },
        data: { a: '1', b: '2' },
      }),
      apply('other', { data: { a: '5' } }),
      merge('patcher', { data: { b: '3' } }),
      apply('kubectl', { data: { a: '5', b: '7' } }),
      apply('kubectl', { data: { a: '5' } }),
    ],
  },
  'services have ports by number and protocol and an atomic selector': {
    kind: services,
    steps: [
      create('maker', service({ selector: { a: 'b' }, ports: [port(80, { name: 'http' })] })),
      apply('one', service({ ports: [port(443, { name: 'https' }), port(80, { name: 'http' })] })),
      apply('one', service({ ports: [{ port: 443, name: 'tls', targetPort: 443 }] })),
      apply('two', service({ ports: [{ port: 80, name: 'web' }], selector: { a: 'c' } })),
      force('two', service({ ports: [{ port: 80, name: 'web' }], selector: { a: 'c' } })),
      strategic('patcher', { spec: { ports: [{ port: 8080, name: 'alt' }], selector: { z: '1' } } }),
      strategic('patcher', {
        spec: { ports: [{ port: 80, $patch: 'delete' }], selector: { $patch: 'replace', only: '1' } },
      }),
      strategic('patcher', {
        spec: { ports: [{ $patch: 'replace' }, port(1, { name: 'one' }), port(2, { name: 'two' })] },
      }),
      merge('patcher', { status: { conditions: [condition('A', 'True'), condition('B', 'True')] } }, 'status'),
      apply(
        'three',
        { status: { conditions: [condition('A', 'False'), condition('C', 'True')] } },
        { subresource: 'status' },
      ),
      apply('one', service({})),
    ],
  },
  'pods have containers, ports, mounts and env by their keys': {
    kind: pods,
    steps: [
      create(
        'maker',
        pod(
          [container('a', { env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] })],
          {},
          { labels: { l: '1' } },
        ),
      ),
      apply('one', pod([container('a', { image: 'other' })], {}, { labels: { m: '1' }, annotations: { n: 'x' } })),
      force('one', pod([container('a', { image: 'other' })], {}, { labels: { m: '1' }, annotations: { n: 'x' } })),
      apply('one', pod([container('a', { image: 'other' })], {}, { labels: { m: '2' } })),
      strategic('patcher', {
        spec: { containers: [{ name: 'a', image: 'third' }] },
        metadata: { labels: { l: null } },
      }),
      merge('patcher', { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }, 'status'),
      strategic('kubelet', { metadata: { annotations: { seen: 'yes' } } }),
      update(
        'kubelet',
        { status: { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }], qosClass: 'BestEffort' } },
        'status',
      ),
      apply('one', pod([container('a', { image: 'third' })])),
      merge('patcher', { status: { phase: 'Failed' } }),
    ],
  },
  'jobs are created, suspended and applied': {
    kind: jobs,
    steps: [
      create('maker', {
        spec: {
          backoffLimit: 2,
          suspend: true,
          template: { metadata: { labels: { a: 'b' } }, spec: podSpec([container('a')]) },
        },
      }),
      merge('patcher', { spec: { suspend: false, activeDeadlineSeconds: 10 } }),
      apply('one', { spec: { parallelism: 2 } }),
      force('one', { spec: { parallelism: 2, suspend: true } }),
      apply('one', { spec: { ttlSecondsAfterFinished: 3 } }),
      merge('controller', { status: { active: 1, ready: 0 } }, 'status'),
      apply('two', { status: { active: 1 }, spec: { parallelism: 3 } }, { subresource: 'status' }),
    ],
  },
  'strategic patches order, retain and delete': {
    kind: pods,
    steps: [
      create(
        'maker',
        pod(
          [container('a'), container('b')],
          { tolerations: [{ key: 'k', operator: 'Exists' }] },
          { finalizers: ['a/a', 'b/b'] },
        ),
      ),
      strategic('p', { metadata: { finalizers: ['c/c', 'a/a'] } }),
      strategic('p', { metadata: { '$setElementOrder/finalizers': ['c/c', 'b/b', 'a/a'] } }),
      strategic('p', { metadata: { '$deleteFromPrimitiveList/finalizers': ['b/b'] } }),
      strategic('p', { metadata: { '$setElementOrder/finalizers': ['d/d', 'a/a'], finalizers: ['d/d'] } }),
      strategic('p', { metadata: { '$setElementOrder/finalizers': ['a/a', 'd/d'], finalizers: ['d/d', 'a/a'] } }),
      strategic('p', {
        spec: {
          '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
          containers: [{ name: 'b', image: 'x' }],
        },
      }),
      strategic('p', { spec: { containers: [{ image: 'x' }] } }),
      strategic('p', { spec: { containers: [{ name: 'a', $patch: 'frob' }] } }),
      strategic('p', { spec: { containers: [{ name: 'a', $patch: 'merge' }] } }),
      strategic('p', { spec: { containers: [{ $patch: 'delete' }] } }),
      strategic('p', { spec: { containers: ['x'] } }),
      strategic('p', { spec: { containers: [['x']] } }),
      strategic('p', { metadata: { $patch: 'frob' } }),
      strategic('p', { metadata: { labels: { $patch: 'replace', a: 'b' } } }),
      strategic('p', { metadata: { labels: { a: 'b', c: null, d: 'e' } } }),
      strategic('p', { metadata: { labels: { $retainKeys: ['a'], a: 'z' } } }),
      strategic('p', { metadata: { labels: { $retainKeys: ['a'], q: 'z' } } }),
      strategic('p', { metadata: { labels: { $retainKeys: 'a' } } }),
      strategic('p', { metadata: { labels: { $patch: 'delete' } } }),
      strategic('p', { metadata: { $deleteFromPrimitiveList: ['x'] } }),
      strategic('p', { metadata: { $setElementOrder: ['x'] } }),
      strategic('p', { metadata: { finalizers: [] } }),
      strategic('p', { metadata: { finalizers: null } }),
      strategic('p', null),
      strategic('p', []),
      strategic('p', 'x'),
      strategic('p', {}),
    ],
  },
  ...statusScenarios({
    claims: {
      kind: claims,
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      status: { phase: 'Lost' },
    },
    ingresses: {
      kind: ingresses,
      spec: { defaultBackend: { service: { name: 'a', port: { number: 1 } } } },
      status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
    },
    budgets: {
      kind: budgets,
      spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
      status: { currentHealthy: 1 },
    },
    quotas: { kind: quotas, spec: { hard: { pods: '1' } }, status: { used: { pods: '1' } } },
    nodes: {
      kind: nodes,
      spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      status: { capacity: { cpu: '1' } },
    },
    volumes: {
      kind: volumes,
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      status: { message: 'x' },
    },
  }),
  'leases are renewed and applied': {
    kind: leases,
    steps: [
      create('maker', {
        spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
      }),
      update('maker', { spec: { holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: 1 } }),
      apply('one', { spec: { holderIdentity: 'c' } }),
      force('one', { spec: { holderIdentity: 'c' } }),
    ],
  },
  'roles have atomic rules': {
    kind: roles,
    steps: [
      create('maker', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }),
      apply('one', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }] }),
      force('one', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }] }),
      apply('one', {}),
    ],
  },
  'network policies have atomic lists of rules': {
    kind: networkPolicies,
    steps: [
      create('maker', { spec: { podSelector: { matchLabels: { a: 'b' } }, ingress: [{}], policyTypes: ['Ingress'] } }),
      apply('one', { spec: { podSelector: {}, egress: [{ ports: [{ port: 80 }] }] } }),
      force('one', { spec: { podSelector: {}, egress: [{ ports: [{ port: 80 }] }] } }),
      merge('patcher', { spec: { egress: null } }),
    ],
  },
  'secrets have their data owned key by key': {
    kind: secrets,
    steps: [
      create('maker', { data: { a: 'AA==', b: 'AA==' } }),
      apply('one', { data: { a: 'AQ==', c: 'AA==' } }),
      force('one', { data: { a: 'AQ==', c: 'AA==' } }),
      apply('one', { data: { c: 'AA==' } }),
    ],
  },
};

/** Status and the rest are written apart: each by its own subresource, with metadata as the kind has it. */
function statusScenarios(
  kinds: Readonly<Record<string, { readonly kind: TwinKind; readonly spec: object; readonly status: object }>>,
): Readonly<Record<string, Scenario>> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, { kind, spec, status }]) => [
      `the status of ${name} is owned through its subresource alone`,
      {
        kind,
        steps: [
          create('maker', { spec, status }),
          merge('controller', { status, spec: null, metadata: { labels: { a: 'b' } } }, 'status'),
          apply('one', { status, metadata: { labels: { a: 'c' } } }, { subresource: 'status' }),
          apply('one', { status, metadata: { labels: { a: 'c' } } }, { subresource: 'status', force: true }),
          apply('one', { status, metadata: { annotations: { x: 'y' } } }),
        ],
      },
    ]),
  );
}
