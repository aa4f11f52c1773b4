import type { NetworkPolicy, NetworkPolicyOptions, RayCluster, RayClusterSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { group, observed } from '../testing/observed.ts';
import { say } from '../testing/plan-in-words.ts';
import { planNetworkPolicies } from './plan.ts';
import { buildNetworkPolicies } from './policies.ts';

interface Options {
  readonly networkPolicy?: NetworkPolicyOptions;
  readonly spec?: Partial<RayClusterSpec>;
  readonly metadata?: RayCluster['metadata'];
  readonly policies?: readonly NetworkPolicy[];
  readonly gate?: boolean;
}

function plan({ networkPolicy = {}, spec, metadata = {}, policies = [], gate = true }: Options = {}) {
  const { cluster, context, installed } = observed({
    metadata,
    spec: { workerGroupSpecs: [group()], networkPolicy, ...spec },
    gates: { RayClusterNetworkPolicy: gate },
  });
  return planNetworkPolicies({ cluster, context, installed, policies });
}

const said = (options: Options = {}) => plan(options).actions.map(say);

function made(networkPolicy: NetworkPolicyOptions = {}): readonly NetworkPolicy[] {
  const { cluster } = observed({ spec: { workerGroupSpecs: [group()], networkPolicy } });
  return buildNetworkPolicies(cluster, cluster.spec as RayClusterSpec);
}

/** What the server does to lists and labels that are empty. */
function withoutEmpty(key: string, value: unknown): unknown {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return isEmpty && (Array.isArray(value) || key === 'matchLabels') ? undefined : value;
}

const WITHOUT = { spec: { networkPolicy: undefined } as unknown as Partial<RayClusterSpec> };

describe('planNetworkPolicies()', () => {
  it('makes what is asked for and is not there', () => {
    expect(said()).toEqual(['create NetworkPolicy demo-head', 'create NetworkPolicy demo-workers-small']);
  });

  it('has nothing to do where all is as it should be, whatever others have added to the labels', () => {
    const policies = made().map((policy) => ({
      ...policy,
      metadata: { ...policy.metadata, labels: { ...policy.metadata?.labels, 'team.io/owner': 'ml' } },
    }));
    expect(said({ policies })).toEqual([]);
  });

  it('takes what the server leaves out for what was written', () => {
    const networkPolicy: NetworkPolicyOptions = {
      head: { ingressRules: [{ from: [], ports: [{ port: 8265 }] }, { from: [{ podSelector: { matchLabels: {} } }] }] },
    };
    const stored = made(networkPolicy).map(
      (policy) => JSON.parse(JSON.stringify(policy, withoutEmpty)) as NetworkPolicy,
    );
    expect(stored[0]?.spec?.ingress).toEqual([
      { from: [{ podSelector: { matchLabels: { 'ray.io/cluster': 'demo' } } }] },
      { ports: [{ port: 8265, protocol: 'TCP' }] },
      { from: [{ podSelector: {} }] },
    ]);
    expect(said({ networkPolicy, policies: stored })).toEqual([]);
  });

  it('puts right what was changed, by the user or by somebody else', () => {
    expect(said({ policies: made({ mode: 'DenyAllIngress' }) })).toEqual([
      'update NetworkPolicy demo-head',
      'update NetworkPolicy demo-workers-small',
    ]);
  });

  it('removes the policy of a group that is gone, and all of them when none is wanted any more', () => {
    expect(said({ policies: made(), spec: { workerGroupSpecs: [] } })).toEqual([
      'delete NetworkPolicy demo-workers-small',
    ]);
    expect(said({ policies: made(), ...WITHOUT })).toEqual([
      'delete NetworkPolicy demo-head',
      'delete NetworkPolicy demo-workers-small',
    ]);
  });

  it('leaves a policy of somebody else alone, tells of it, and makes nothing by halves', () => {
    const policies = [{ metadata: { name: 'demo-head', namespace: 'ml', uid: 'other' } }];
    expect(said({ policies })).toEqual([
      expect.stringMatching(/^Warning NetworkPolicyNameCollision: NetworkPolicy ml\/demo-head already exists/),
    ]);
    expect(plan({ policies }).requeueAfterMs).toBe(30_000);
    expect(said({ policies, ...WITHOUT })).toEqual([]);
  });

  it('protects head and other groups where only the name of one group is taken', () => {
    const spec = { workerGroupSpecs: [group(), group({ groupName: 'big' })] };
    const policies = [{ metadata: { name: 'demo-workers-small', namespace: 'ml', uid: 'other' } }];
    expect(said({ policies, spec })).toEqual([
      expect.stringMatching(/^Warning NetworkPolicyNameCollision: NetworkPolicy ml\/demo-workers-small already exists/),
      'create NetworkPolicy demo-head',
      'create NetworkPolicy demo-workers-big',
    ]);
    expect(plan({ policies, spec }).requeueAfterMs).toBe(30_000);
  });

  it('puts the labels back on a policy of its own', () => {
    const policies = made().map((policy) => ({ ...policy, metadata: { ...policy.metadata, labels: {} } }));
    expect(said({ policies })).toEqual(['update NetworkPolicy demo-head', 'update NetworkPolicy demo-workers-small']);
  });

  it.each<[string, Options]>([
    ['a cluster that is being deleted', { metadata: { deletionTimestamp: '2026-08-01T12:00:00Z' } }],
    ['a cluster that somebody else manages', { spec: { managedBy: 'kueue.x-k8s.io/multikueue' } }],
    ['a cluster whose spec is refused', { networkPolicy: { workerGroups: [{ groupName: 'nope' }] } }],
    ['an installation without the gate', { gate: false }],
  ])('does nothing about %s', (_, options) => {
    expect(said(options)).toEqual([]);
    expect(said({ ...options, policies: made() })).toEqual([]);
  });
});
