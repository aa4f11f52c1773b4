import { type OperatorEnv, ReportingController } from '@manta/api';
import type { BuildContext, ObservedRayCluster } from '@manta/plan';
import type { Controller, EventBroadcaster, Informer, World } from '@manta/runtime';
import { certificateIssuer } from '../cluster/certificate-issuer.ts';
import type { ClusterFacts } from '../cluster/facts.ts';
import { createPkiCache, type PkiCache, PkiStates, pkiInformers } from '../observe/pki-cache.ts';
import type { RayClusterCache } from '../observe/ray-cluster-cache.ts';
import type { OperatorOptions } from '../options/options.ts';
import { createMtlsController } from './mtls.ts';
import { createNetworkPolicyCache, createNetworkPolicyController } from './network-policy.ts';

/** Inputs that the controllers of one part of a RayCluster share with the RayCluster controller. */
export interface PartInput {
  readonly options: OperatorOptions;
  readonly facts: ClusterFacts;
  readonly context: BuildContext;
  readonly cache: RayClusterCache;
  readonly events: EventBroadcaster;
  readonly pki: Pki | undefined;
}

/** The PKI of RayClusters: its caches, and whether pods may be created. */
export interface Pki {
  readonly cache: PkiCache;
  readonly states: PkiStates;
}

/** Undefined without mutual TLS: its feature gate is off, or there is no issuer. */
export function createPki(
  world: World,
  {
    options,
    facts,
    env,
  }: { readonly options: OperatorOptions; readonly facts: ClusterFacts; readonly env: OperatorEnv },
): Pki | undefined {
  const issuer = certificateIssuer(options, facts, env);
  if (issuer === undefined) return undefined;
  const cache = createPkiCache(world, issuer, options.watchNamespaces);
  return { cache, states: new PkiStates(cache, world.client) };
}

/** Optional features of the Kubernetes cluster that RayClusters may use. */
export function installedIn(facts: ClusterFacts, pki: PkiCache | undefined): ObservedRayCluster['installed'] {
  return {
    certManager: facts.hasCertManager,
    openShift: facts.isOpenShift,
    ownIssuer: pki?.issuedBy === 'operator',
  };
}

/** The controllers of NetworkPolicies and certificates, as far as they are switched on. */
export function createPartControllers(
  world: World,
  { options, facts, context, cache, events, pki }: PartInput,
): { readonly controllers: readonly Controller[]; readonly informers: readonly Informer[] } {
  const { concurrency, gates, watchNamespaces } = options;
  const common = { context, cache, concurrency, installed: installedIn(facts, pki?.cache) };
  const policies = gates.RayClusterNetworkPolicy ? createNetworkPolicyCache(world, watchNamespaces) : undefined;
  const recorder = (controller: ReportingController) => events.recorder(controller);
  return {
    controllers: [
      ...(policies === undefined
        ? []
        : [
            createNetworkPolicyController(world, {
              ...common,
              policies,
              events: recorder(ReportingController.NetworkPolicy),
            }),
          ]),
      ...(pki === undefined
        ? []
        : [createMtlsController(world, { ...common, pki: pki.cache, events: recorder(ReportingController.Mtls) })]),
    ],
    informers: [...(policies === undefined ? [] : [policies]), ...(pki === undefined ? [] : pkiInformers(pki.cache))],
  };
}
