import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal } from '../support/expect-status.ts';
import { grouped } from '../support/paths.ts';
import type { Case, Fields } from '../support/target.ts';

const container = { name: 'main', image: 'x' };
const template = { spec: { restartPolicy: 'Never', containers: [container] } };
const path = (apiVersion: string, plural: string) => (namespace: string) =>
  apiVersion === 'v1' ? `/api/v1/namespaces/${namespace}/${plural}` : grouped(apiVersion, namespace, plural);

const jobs = path('batch/v1', 'jobs');
const secrets = path('v1', 'secrets');
const claims = path('v1', 'persistentvolumeclaims');
const ingresses = path('networking.k8s.io/v1', 'ingresses');
const policies = path('networking.k8s.io/v1', 'networkpolicies');
const budgets = path('policy/v1', 'poddisruptionbudgets');
const roles = path('rbac.authorization.k8s.io/v1', 'roles');
const bindings = path('rbac.authorization.k8s.io/v1', 'rolebindings');
const leases = path('coordination.k8s.io/v1', 'leases');
const slices = path('discovery.k8s.io/v1', 'endpointslices');
const maps = path('v1', 'configmaps');
const quotas = path('v1', 'resourcequotas');

const backend = { service: { name: 's', port: { number: 80 } } };
const rule = (http: Fields) => ({ spec: { rules: [{ host: 'a.example.com', http }] } });

type Refused = readonly [path: (namespace: string) => string, object: Fields, causes: readonly string[]];

const refusals: Readonly<Record<string, Refused>> = {
  'a job whose pods would always restart': [
    jobs,
    { spec: { template: { spec: { containers: [container] } } } },
    ['spec.template.spec.restartPolicy: FieldValueRequired: Required value: valid values: "OnFailure", "Never"'],
  ],
  'a job with negative numbers': [
    jobs,
    { spec: { template, backoffLimit: -1, parallelism: -1 } },
    [
      'spec.parallelism: FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
      'spec.backoffLimit: FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
    ],
  ],
  'a job without a container': [
    jobs,
    { spec: { template: { spec: { restartPolicy: 'Never', containers: [] } } } },
    ['spec.template.spec.containers: FieldValueRequired: Required value'],
  ],
  'a TLS secret without its keys': [
    secrets,
    { type: 'kubernetes.io/tls', data: {} },
    ['data[tls.crt]: FieldValueRequired: Required value', 'data[tls.key]: FieldValueRequired: Required value'],
  ],
  'a secret with an impossible key': [
    secrets,
    { stringData: { 'a/b': 'x' } },
    [
      "data[a/b]: FieldValueInvalid: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ],
  ],
  'a config map with one key in both data and binary data': [
    maps,
    { data: { a: 'x' }, binaryData: { a: 'AA==' } },
    ['data[a]: FieldValueInvalid: Invalid value: "a": duplicate of key present in binaryData'],
  ],
  'a claim without a size': [
    claims,
    { spec: { accessModes: ['ReadWriteOnce'], resources: {} } },
    ['spec.resources[storage]: FieldValueRequired: Required value'],
  ],
  'a claim without an access mode': [
    claims,
    { spec: { resources: { requests: { storage: '1Gi' } } } },
    ['spec.accessModes: FieldValueRequired: Required value: at least 1 access mode is required'],
  ],
  'a claim of nothing': [
    claims,
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '0' } } } },
    ['spec.resources[storage]: FieldValueInvalid: Invalid value: "0": must be greater than zero'],
  ],
  'an ingress without rules and backend': [
    ingresses,
    { spec: {} },
    ['spec: FieldValueInvalid: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
  ],
  'an ingress path without a type': [
    ingresses,
    rule({ paths: [{ path: '/', backend }] }),
    ['spec.rules[0].http.paths[0].pathType: FieldValueRequired: Required value: pathType must be specified'],
  ],
  'an ingress path that does not begin at the root': [
    ingresses,
    rule({ paths: [{ path: 'x', pathType: 'Prefix', backend }] }),
    ['spec.rules[0].http.paths[0].path: FieldValueInvalid: Invalid value: "x": must be an absolute path'],
  ],
  'an ingress backend without a port': [
    ingresses,
    rule({ paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's' } } }] }),
    ['spec.rules[0].http.paths[0].backend: FieldValueRequired: Required value: port name or number is required'],
  ],
  'a network policy of an unknown type': [
    policies,
    { spec: { podSelector: {}, policyTypes: ['Sideways'] } },
    [
      'spec.policyTypes[0]: FieldValueNotSupported: Unsupported value: "Sideways": supported values: "Ingress", "Egress"',
    ],
  ],
  'a network policy with an impossible range': [
    policies,
    { spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.300/8' } }] }] } },
    [
      'spec.ingress[0].from[0].ipBlock.cidr: FieldValueInvalid: Invalid value: "10.0.0.300/8": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  ],
  'a selector with an operator that nobody knows': [
    budgets,
    { spec: { minAvailable: 1, selector: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['b'] }] } } },
    [
      'spec.selector.matchExpressions[0].operator: FieldValueInvalid: Invalid value: "Like": not a valid selector operator',
    ],
  ],
  'a selector without the values that its operator needs': [
    budgets,
    { spec: { minAvailable: 1, selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } },
    [
      "spec.selector.matchExpressions[0].values: FieldValueRequired: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
  ],
  'a negative budget': [
    budgets,
    { spec: { maxUnavailable: -1, selector: {} } },
    ['spec.maxUnavailable: FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0'],
  ],
  'a rule without verbs': [
    roles,
    { rules: [{ apiGroups: [''], resources: ['pods'] }] },
    ['rules[0].verbs: FieldValueRequired: Required value: verbs must contain at least one value'],
  ],
  'a rule without resources': [
    roles,
    { rules: [{ apiGroups: [''], verbs: ['get'] }] },
    ['rules[0].resources: FieldValueRequired: Required value: resource rules must supply at least one resource'],
  ],
  'paths in the role of a namespace': [
    roles,
    { rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] },
    [
      'rules[0].nonResourceURLs: FieldValueInvalid: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
    ],
  ],
  'a binding to a kind that is no role': [
    bindings,
    { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Thing', name: 'x' } },
    ['roleRef.kind: FieldValueNotSupported: Unsupported value: "Thing": supported values: "Role", "ClusterRole"'],
  ],
  'a lease of no time': [
    leases,
    { spec: { leaseDurationSeconds: 0 } },
    ['spec.leaseDurationSeconds: FieldValueInvalid: Invalid value: 0: must be greater than 0'],
  ],
  'an endpoint that is no address': [
    slices,
    { addressType: 'IPv4', endpoints: [{ addresses: ['somewhere'] }] },
    [
      'endpoints[0].addresses[0]: FieldValueInvalid: Invalid value: "somewhere": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  ],
  'a quota of an unknown resource': [
    quotas,
    { spec: { hard: { 'requests.dreams': '1' } } },
    [
      'spec.hard[requests.dreams]: FieldValueInvalid: Invalid value: "requests.dreams": must be a standard resource type or fully qualified',
      'spec.hard[requests.dreams]: FieldValueInvalid: Invalid value: "requests.dreams": must be a standard resource for quota',
    ],
  ],
};

/** What built-in kinds other than pods and services refuse. */
export const cases: readonly Case[] = Object.entries(refusals).map(
  ([what, [where, object, causes]]): Case => ({
    title: `${what} is refused`,
    run: async (t) => {
      const answer = await t.request('POST', where(await t.namespace()), { metadata: { name: 'x' }, ...object });
      expectRefusal(answer, { code: 422, reason: 'Invalid' });
      expect(causesOf(answer)).toEqual(causes);
    },
  }),
);
