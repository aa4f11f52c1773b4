/** Where a kind is served, and a small object of it. */
export interface Sample {
  readonly prefix: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly object: Readonly<Record<string, unknown>>;
  readonly subresources: readonly string[];
}

const containers = [{ name: 'c', image: 'x', resources: { limits: { cpu: '1', memory: '1Gi' } } }];
const template = { metadata: { labels: { app: 'a' } }, spec: { containers, restartPolicy: 'Never' } };
const RBAC = 'rbac.authorization.k8s.io';

function core(plural: string, kind: string, rest: object, subresources: readonly string[] = []): Sample {
  const object = { apiVersion: 'v1', kind, metadata: {}, ...rest };
  return { prefix: '/api/v1', plural, isNamespaced: true, object, subresources };
}

function grouped(
  group: string,
  plural: string,
  kind: string,
  rest: object,
  subresources: readonly string[] = [],
): Sample {
  const object = { apiVersion: group, kind, metadata: {}, ...rest };
  return { prefix: `/apis/${group}`, plural, isNamespaced: true, object, subresources };
}

const clusterWide = (sample: Sample): Sample => ({ ...sample, isNamespaced: false });

/** Kinds to fuzz. Webhooks are left out: they would send requests to wherever chance leads. */
export const SAMPLES: readonly Sample[] = [
  core('configmaps', 'ConfigMap', { data: { a: 'b' }, binaryData: { c: 'AA==' } }),
  core('secrets', 'Secret', { type: 'Opaque', data: { a: 'AA==' } }),
  core('pods', 'Pod', template, [
    'status',
    'log',
    'exec',
    'attach',
    'portforward',
    'proxy',
    'eviction',
    'binding',
    'resize',
  ]),
  core('services', 'Service', { spec: { selector: { app: 'a' }, ports: [{ port: 80 }] } }, ['status', 'proxy']),
  core('serviceaccounts', 'ServiceAccount', {}, ['token']),
  core('events', 'Event', { involvedObject: { kind: 'Pod', name: 'n1' }, reason: 'R', message: 'm' }),
  core('persistentvolumeclaims', 'PersistentVolumeClaim', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  core('resourcequotas', 'ResourceQuota', { spec: { hard: { pods: '1000' } } }, ['status']),
  core('endpoints', 'Endpoints', { subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ port: 80 }] }] }),
  clusterWide(core('nodes', 'Node', {}, ['status', 'proxy'])),
  grouped('batch/v1', 'jobs', 'Job', { spec: { template } }, ['status']),
  grouped('coordination.k8s.io/v1', 'leases', 'Lease', { spec: { holderIdentity: 'h' } }),
  grouped('networking.k8s.io/v1', 'ingresses', 'Ingress', {
    spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
  }),
  grouped('networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy', {
    spec: { podSelector: {}, policyTypes: ['Egress'] },
  }),
  grouped('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget', {
    spec: { minAvailable: '50%', selector: { matchLabels: { app: 'a' } } },
  }),
  grouped('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.1.1'] }],
    ports: [],
  }),
  grouped(`${RBAC}/v1`, 'roles', 'Role', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }),
  grouped(`${RBAC}/v1`, 'rolebindings', 'RoleBinding', {
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'n1' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'fuzz-0' }],
  }),
  clusterWide(grouped('scheduling.k8s.io/v1', 'priorityclasses', 'PriorityClass', { value: 1 })),
  clusterWide(grouped('storage.k8s.io/v1', 'storageclasses', 'StorageClass', { provisioner: 'p' })),
  clusterWide(
    grouped('authorization.k8s.io/v1', 'subjectaccessreviews', 'SubjectAccessReview', {
      spec: { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods' } },
    }),
  ),
  clusterWide(grouped('authentication.k8s.io/v1', 'tokenreviews', 'TokenReview', { spec: { token: 't' } })),
  clusterWide(
    grouped(
      'apiextensions.k8s.io/v1',
      'customresourcedefinitions',
      'CustomResourceDefinition',
      {
        metadata: { name: 'gadgets.fuzz.example.com' },
        spec: {
          group: 'fuzz.example.com',
          scope: 'Namespaced',
          names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: {
                      type: 'object',
                      properties: {
                        size: { type: 'integer', default: 1 },
                        text: { type: 'string', pattern: '^(a+)+$' },
                      },
                      'x-kubernetes-validations': [
                        { rule: 'self.size > 0', messageExpression: '"size " + string(self.size)' },
                      ],
                    },
                  },
                },
              },
            },
          ],
        },
      },
      ['status'],
    ),
  ),
  grouped('fuzz.example.com/v1', 'gadgets', 'Gadget', { spec: { size: 2, text: 'aaa' } }, ['status', 'scale']),
];
