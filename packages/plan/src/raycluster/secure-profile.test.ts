import type { RayClusterSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import type { BuildContext } from '../build/context.ts';
import { updateServiceCluster } from '../build/service-cluster.ts';
import { buildNetworkPolicies } from '../network-policy/policies.ts';
import type { Action } from '../plan.ts';
import { type End, isAllowed } from '../testing/evaluate-network-policy.ts';
import { group, headPod, type ObservedOptions, observed } from '../testing/observed.ts';
import { say } from '../testing/plan-in-words.ts';
import { planRayCluster } from './plan.ts';

const GATES = { RayClusterMTLS: true, RayClusterNetworkPolicy: true };

function planned({ spec, ...options }: ObservedOptions = {}, context: Partial<BuildContext> = {}): readonly Action[] {
  const workerGroupSpecs = [group()];
  const seen = observed({
    gates: GATES,
    installed: { certManager: true },
    ...options,
    spec: { rayVersion: '2.52.0', workerGroupSpecs, ...spec },
  });
  return planRayCluster({ ...seen, context: { ...seen.context, isSecure: true, ...context } }).actions;
}

const patched = (actions: readonly Action[]) =>
  actions.flatMap((action) => (action.type === 'patch' ? [(action.patch as { spec: RayClusterSpec }).spec] : []))[0];

describe('the secure profile', () => {
  it('writes tokens, policies and TLS into a new cluster before anything is made of it', () => {
    const actions = planned();
    expect(actions.map(say)).toEqual(['patch RayCluster demo']);
    expect(patched(actions)).toMatchObject({
      authOptions: { mode: 'token' },
      networkPolicy: { mode: 'DenyAllIngress' },
      tlsOptions: { enabled: true },
    });
    expect(actions[0]).toMatchObject({ done: { reason: 'SecuredRayCluster' } });
  });

  it('leaves what the user says', () => {
    const said = { authOptions: { mode: 'disabled' }, tlsOptions: { enabled: false } } as const;
    expect(Object.keys(patched(planned({ spec: said })) ?? {})).toEqual(['networkPolicy']);
    expect(planned({ spec: { ...said, networkPolicy: {} } }).map(say)).toContain('create Pod demo-head-?');
  });

  it('goes without what the installation has switched off', () => {
    expect(
      Object.keys(patched(planned({ gates: { RayClusterMTLS: false, RayClusterNetworkPolicy: true } })) ?? {}),
    ).toEqual(['authOptions', 'networkPolicy']);
  });

  it('stays in the cluster of a service when that is updated', () => {
    const live = { spec: { headGroupSpec: { template: {} }, ...patched(planned()) } };
    const wanted = { spec: { headGroupSpec: { template: {} }, workerGroupSpecs: [group({ replicas: 5 })] } };
    expect(updateServiceCluster(live, wanted).spec).toMatchObject({ ...patched(planned()), ...wanted.spec });
  });

  it.each<[string, ObservedOptions]>([
    ['has pods', { pods: [headPod()] }],
    ['was seen before', { status: { observedGeneration: 1 } }],
    ['wants to go without', { metadata: { annotations: { 'ray.io/security-profile': 'none' } } }],
  ])('does not touch a cluster that %s', (_, options) => {
    expect(patched(planned(options))).toBeUndefined();
  });

  it('is for a cluster under a name whose former pods are still going', () => {
    expect(patched(planned({ pods: [headPod({ owner: 'former', isTerminating: true })] }))).toBeDefined();
  });

  it('starts no cluster whose CRD dropped it, says so, and tries again: CRDs may be replaced', () => {
    const annotations = { 'ray.io/secured-uid': 'cluster-uid' };
    expect(planned()[0]).toMatchObject({ patch: { metadata: { annotations } } });
    const actions = planned({ spec: { authOptions: { mode: 'token' } }, metadata: { annotations } });
    expect(actions.map(say)).toEqual([
      'patch RayCluster demo',
      "Warning InvalidRayClusterSpec: RayCluster ml/demo is not started: the operator's secure profile needs spec.networkPolicy, spec.tlsOptions, which the installed CRD does not have; bring the CRDs up to date (manta crds apply), or set the annotation ray.io/security-profile: none",
    ]);
    expect(actions[0]).not.toHaveProperty('done');
    const copied = { annotations: { 'ray.io/secured-uid': 'another' } };
    expect(planned({ metadata: copied }).map(say)).toEqual(['patch RayCluster demo']);
  });

  it('knows the operator by the label that it has, and not at all behind the API server', () => {
    const rules = (context: Partial<BuildContext>, env = {}) =>
      patched(planned({ env }, context))?.networkPolicy?.head?.ingressRules?.[0];
    const ports = [{ port: 8265 }];
    expect(rules({}, { OPERATOR_APP_NAME: 'our-operator' })).toEqual({
      from: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'app.kubernetes.io/name': 'our-operator' } } }],
      ports,
    });
    expect(rules({ asksThroughApiServer: true })).toEqual({ ports });
  });

  it('starts no cluster that cannot have it, and says what to do', () => {
    expect(planned({ spec: { rayVersion: '2.40.0' } }).map(say)).toEqual([
      "Warning InvalidRayClusterSpec: The RayCluster spec is invalid ml/demo: the operator's secure profile needs authOptions, networkPolicy, tlsOptions, and authOptions.mode is 'token' but minimum Ray version is 2.52.0, got 2.40.0; change that, or set the annotation ray.io/security-profile: none",
    ]);
  });

  it('closes the way in but for the operator, and for users of a service', () => {
    const pod = (labels: Record<string, string>, namespace = 'ml'): End => ({ namespace, labels });
    const head = pod({ 'ray.io/cluster': 'demo', 'ray.io/node-type': 'head' });
    const worker = pod({ 'ray.io/cluster': 'demo', 'ray.io/node-type': 'worker', 'ray.io/group': 'small' });
    const operator = pod({ 'app.kubernetes.io/name': 'kuberay-operator' }, 'ray-system');
    const user = pod({ app: 'web' });
    const policiesOf = (labels: Record<string, string>) => {
      const { cluster } = observed({ metadata: { labels } });
      const spec = {
        headGroupSpec: { template: {} },
        workerGroupSpecs: [group()],
        ...patched(planned({ metadata: { labels } })),
      };
      return buildNetworkPolicies(cluster, spec);
    };
    const plain = policiesOf({});
    const service = policiesOf({ 'ray.io/originated-from-crd': 'RayService' });
    const passes = (policies: typeof plain, from: End, to: End, port: number) =>
      isAllowed(policies, 'ml', { from, to, port });
    expect(passes(plain, worker, head, 6379)).toBe(true);
    expect(passes(plain, operator, head, 8265)).toBe(true);
    expect(passes(plain, operator, head, 6379)).toBe(false);
    expect(passes(plain, operator, worker, 8000)).toBe(true);
    expect(passes(plain, user, head, 8265)).toBe(false);
    expect(passes(plain, user, head, 8000)).toBe(false);
    expect(passes(service, user, head, 8000)).toBe(true);
    expect(passes(service, user, worker, 8000)).toBe(true);
    expect(passes(service, user, head, 8265)).toBe(false);
    expect(passes(plain, head, { ip: '93.184.216.34' }, 443)).toBe(true);
  });
});
