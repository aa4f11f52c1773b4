import { type NetworkPolicyOptions, readOperatorEnv } from '@manta/api';
import { planRayCluster } from '@manta/plan';
import { describe, expect, it } from 'vitest';
import { observed } from '../../packages/plan/src/testing/observed.ts';

/** What the secure profile writes into a new cluster about who may reach it. */
function policyOf(operatorNamespace: string): NetworkPolicyOptions | undefined {
  const seen = observed({ gates: { RayClusterNetworkPolicy: true }, spec: { rayVersion: '2.52.0' } });
  const context = { ...seen.context, env: readOperatorEnv({}), isSecure: true, operatorNamespace };
  const [patch] = planRayCluster({ ...seen, context }).actions;
  if (patch?.type !== 'patch') throw new Error('the secure profile writes nothing');
  return (patch.patch as { readonly spec: { readonly networkPolicy?: NetworkPolicyOptions } }).spec.networkPolicy;
}

describe('the secure profile', () => {
  it("admits no pod of another namespace that carries the operator's label", () => {
    const rules = [policyOf('ray-system')?.head, policyOf('ray-system')?.worker].flatMap(
      (part) => part?.ingressRules ?? [],
    );
    const peers = rules.flatMap(({ from = [] }) => from);
    expect(peers.length).toBeGreaterThan(0);
    for (const peer of peers)
      expect(peer).toEqual({
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ray-system' } },
        podSelector: { matchLabels: { 'app.kubernetes.io/name': 'kuberay-operator' } },
      });
  });
});
