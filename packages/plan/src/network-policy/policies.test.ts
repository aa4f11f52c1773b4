import type { NetworkPolicyOptions, RayCluster } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { type End, isAllowed } from '../testing/evaluate-network-policy.ts';
import { group, HEAD, observed } from '../testing/observed.ts';
import { buildNetworkPolicies } from './policies.ts';

const JOB: NonNullable<RayCluster['metadata']> = {
  labels: { 'ray.io/job-submission-mode': 'K8sJobMode' },
  ownerReferences: [{ apiVersion: 'ray.io/v1', kind: 'RayJob', name: 'train', uid: 'job-uid', controller: true }],
};

function policies(networkPolicy: NetworkPolicyOptions | undefined, metadata = {}, params: Record<string, string> = {}) {
  const { cluster } = observed({
    metadata,
    spec: {
      headGroupSpec: { ...HEAD, rayStartParams: params },
      workerGroupSpecs: [group(), group({ groupName: 'big' })],
      ...(networkPolicy === undefined ? {} : { networkPolicy }),
    },
  });
  return buildNetworkPolicies(cluster, cluster.spec ?? { headGroupSpec: HEAD });
}

const pod = (labels: Record<string, string>, namespace = 'ml'): End => ({ namespace, labels });
const ours = { 'ray.io/cluster': 'demo' };
const head = pod({ ...ours, 'ray.io/node-type': 'head', 'ray.io/group': 'headgroup' });
const small = pod({ ...ours, 'ray.io/node-type': 'worker', 'ray.io/group': 'small' });
const big = pod({ ...ours, 'ray.io/node-type': 'worker', 'ray.io/group': 'big' });
const stranger = pod({ app: 'web' });
const namesake = pod({ ...ours, 'ray.io/node-type': 'worker', 'ray.io/group': 'small' }, 'other');
const submitter = pod({ 'ray.io/originated-from-cr-name': 'train', 'ray.io/originated-from-crd': 'RayJob' });
const internet: End = { ip: '93.184.216.34' };
const dns = pod({ 'k8s-app': 'kube-dns' }, 'kube-system');

/** Whether a connection passes, by mode: DenyAll, DenyAllIngress, DenyAllEgress. */
const CONNECTIONS: Readonly<Record<string, { from: End; to: End; port: number; passes: readonly boolean[] }>> = {
  'a worker reaches the head': { from: small, to: head, port: 6379, passes: [true, true, true] },
  'the head reaches a worker': { from: head, to: big, port: 10002, passes: [true, true, true] },
  'workers of different groups reach each other': { from: small, to: big, port: 10002, passes: [true, true, true] },
  'a stranger does not reach the head': { from: stranger, to: head, port: 8265, passes: [false, false, true] },
  'a stranger does not reach a worker': { from: stranger, to: small, port: 10002, passes: [false, false, true] },
  'a pod of that name elsewhere does not either': {
    from: namesake,
    to: head,
    port: 6379,
    passes: [false, false, true],
  },
  'the submitter of a job reaches the dashboard': { from: submitter, to: head, port: 8265, passes: [true, true, true] },
  'and nothing else': { from: submitter, to: head, port: 6379, passes: [false, false, true] },
  'nor a worker': { from: submitter, to: small, port: 8265, passes: [false, false, true] },
  'the head does not reach the world': { from: head, to: internet, port: 443, passes: [false, true, false] },
  'a worker does not ask for names': { from: small, to: dns, port: 53, passes: [false, true, false] },
  'others do what they did': { from: stranger, to: internet, port: 443, passes: [true, true, true] },
};

describe.each(['DenyAll', 'DenyAllIngress', 'DenyAllEgress'] as const)('%s', (mode) => {
  const column = { DenyAll: 0, DenyAllIngress: 1, DenyAllEgress: 2 }[mode];
  const rules = policies({ mode }, JOB);

  it.each(Object.entries(CONNECTIONS))('%s, as far as the mode goes', (_, { passes, ...connection }) => {
    expect(isAllowed(rules, 'ml', connection)).toBe(passes[column]);
  });
});

it('closes both directions where no mode is given, and none where no policy is', () => {
  expect(policies({}).map(({ spec }) => spec?.policyTypes)).toEqual([0, 1, 2].map(() => ['Ingress', 'Egress']));
  expect(policies(undefined)).toEqual([]);
});

it('lets through what the user adds, for those it is added for', () => {
  const rules = policies({
    head: { ingressRules: [{ from: [{ podSelector: { matchLabels: { app: 'web' } } }], ports: [{ port: 8265 }] }] },
    worker: { egressRules: [{ to: [{ ipBlock: { cidr: '93.184.216.0/24' } }] }] },
    workerGroups: [
      { groupName: 'big', egressRules: [{ to: [{ namespaceSelector: {} }], ports: [{ port: 53, protocol: 'UDP' }] }] },
    ],
  });
  const passes = (from: End, to: End, port: number, protocol: 'TCP' | 'UDP' = 'TCP') =>
    isAllowed(rules, 'ml', { from, to, port, protocol });
  expect(passes(stranger, head, 8265)).toBe(true);
  expect(passes(stranger, head, 6379)).toBe(false);
  expect(passes(stranger, small, 8265)).toBe(false);
  expect(passes(small, internet, 443)).toBe(true);
  expect(passes(head, internet, 443)).toBe(false);
  expect(passes(big, dns, 53, 'UDP')).toBe(true);
  expect(passes(big, internet, 443)).toBe(false);
});

it.each([
  ['a job that no pod submits', { ...JOB, labels: { 'ray.io/job-submission-mode': 'HTTPMode' } }],
  ['a cluster that no job owns', { labels: JOB.labels }],
  ['an owner of another API', { ...JOB, ownerReferences: [{ ...JOB.ownerReferences?.[0], apiVersion: 'x.io/v1' }] }],
])('opens the dashboard to no submitter: %s', (_, metadata) => {
  expect(isAllowed(policies({}, metadata), 'ml', { from: submitter, to: head, port: 8265 })).toBe(false);
});

it('opens the dashboard where it is', () => {
  const rules = policies({}, JOB, { 'dashboard-port': '9999' });
  expect(isAllowed(rules, 'ml', { from: submitter, to: head, port: 9999 })).toBe(true);
  expect(isAllowed(rules, 'ml', { from: submitter, to: head, port: 8265 })).toBe(false);
});
