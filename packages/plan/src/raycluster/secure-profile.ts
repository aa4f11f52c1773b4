import {
  Annotation,
  type NetworkPolicyIngressRule,
  type NetworkPolicyOptions,
  OriginCrd,
  originOf,
  RayClusterEventReason,
  type RayClusterSpec,
  validateRayClusterPrerequisites,
  validateRayClusterSpec,
} from '@manta/api';
import { servePortOf } from '../build/service-services.ts';
import { dashboardPort } from '../network-policy/policies.ts';
import { patchSelf } from '../ownership.ts';
import { normal, type PatchAction, type Plan, type PlannedEvent, validationWarning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';

/** What the secure profile gives to a cluster that does not say otherwise. */
type Secured = Required<Pick<RayClusterSpec, 'authOptions' | 'networkPolicy' | 'tlsOptions'>>;

const OFF = 'none';
const APP_NAME = 'app.kubernetes.io/name';
/** Kubernetes sets this label on every namespace; it cannot be changed. */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';
/** How soon to check whether the CRDs were updated. */
const REQUEUE_MS = 60_000;

/**
 * Writes tokens, NetworkPolicies and mutual TLS into the spec of a new cluster before anything is created for it, so that users can see
 * what applies. Later is too late: pods with and without them cannot talk to each other. A cluster that cannot have them is not started.
 * Undefined when there is nothing to do.
 */
export function applySecureProfile(state: ClusterState): Plan | undefined {
  const { context, cluster, spec, name } = state;
  if (context.isSecure !== true || !isNew(state)) return undefined;
  if (cluster.metadata?.annotations?.[Annotation.SecurityProfile] === OFF) return undefined;
  const missing = missingIn(state, securedFor(state));
  if (Object.keys(missing).length === 0 || problemIn(state, spec) !== undefined) return undefined;
  const problem = problemIn(state, { ...spec, ...missing });
  if (problem !== undefined) {
    const remedy = `change that, or set the annotation ${Annotation.SecurityProfile}: ${OFF}`;
    const note = `The RayCluster spec is invalid ${fullName(state, name)}: the operator's secure profile needs ${Object.keys(missing).join(', ')}, and ${problem}; ${remedy}`;
    return { actions: [validationWarning(RayClusterEventReason.InvalidRayClusterSpec, note)] };
  }
  return cluster.metadata?.annotations?.[Annotation.SecuredUid] === state.uid
    ? writeAgain(state, missing)
    : { actions: [{ ...writeInto(state, missing), done: applied(state, missing) }] };
}

function writeInto({ cluster, uid }: ClusterState, missing: Partial<Secured>): PatchAction {
  const { resourceVersion } = cluster.metadata ?? {};
  const metadata = { resourceVersion, annotations: { [Annotation.SecuredUid]: uid } };
  return patchSelf('RayCluster', cluster, { metadata, spec: missing });
}

function applied(state: ClusterState, missing: Partial<Secured>): PlannedEvent {
  const cluster = `RayCluster ${fullName(state, state.name)}`;
  const note = `Applied the secure profile to ${cluster}: ${Object.keys(missing).join(', ')}`;
  return normal(RayClusterEventReason.SecuredRayCluster, 'Update', note);
}

/** The installed CRD dropped the fields. Writing them again has no effect until the CRD is updated. */
function writeAgain(state: ClusterState, missing: Partial<Secured>): Plan {
  const fields = Object.keys(missing)
    .map((field) => `spec.${field}`)
    .join(', ');
  const remedy = `bring the CRDs up to date (manta crds apply), or set the annotation ${Annotation.SecurityProfile}: ${OFF}`;
  const note = `RayCluster ${fullName(state, state.name)} is not started: the operator's secure profile needs ${fields}, which the installed CRD does not have; ${remedy}`;
  const warned = validationWarning(RayClusterEventReason.InvalidRayClusterSpec, note);
  return { actions: [writeInto(state, missing), warned], requeueAfterMs: REQUEUE_MS };
}

/** No operator has reconciled it yet, and it has no pods. */
function isNew({ cluster, pods, uid }: ClusterState): boolean {
  const isSeen = Object.keys(cluster.status ?? {}).length > 0;
  return !isSeen && pods.every(({ owner }) => owner !== uid) && cluster.metadata?.deletionTimestamp === undefined;
}

function problemIn({ cluster, context, installed }: ClusterState, spec: RayClusterSpec): string | undefined {
  const annotations = cluster.metadata?.annotations;
  const error =
    validateRayClusterSpec(spec, annotations, context.gates) ??
    validateRayClusterPrerequisites(spec, context.gates, installed);
  return error?.message;
}

function securedFor(state: ClusterState): Secured {
  return { authOptions: { mode: 'token' }, networkPolicy: policyFor(state), tlsOptions: { enabled: true } };
}

/** Denies ingress except from the operator and, for a RayService, to its serve port. Egress stays open, because pods need DNS. */
function policyFor({ cluster, spec, context }: ClusterState): NetworkPolicyOptions {
  const matchLabels = { [APP_NAME]: context.env.operatorAppName };
  const { operatorNamespace } = context;
  // A pod with the operator's label in another namespace is not the operator.
  const namespaceSelector =
    operatorNamespace === undefined ? {} : { matchLabels: { [NAMESPACE_NAME]: operatorNamespace } };
  const from = [{ namespaceSelector, podSelector: { matchLabels } }];
  const asking = context.asksThroughApiServer === true ? {} : { from };
  const serve = [{ port: servePortOf(cluster) }];
  const isService = originOf(cluster.metadata?.labels) === OriginCrd.RayService;
  const serving: NetworkPolicyIngressRule = isService ? { ports: serve } : { from, ports: serve };
  return {
    mode: 'DenyAllIngress',
    head: { ingressRules: [{ ...asking, ports: [{ port: dashboardPort(spec) }] }, serving] },
    worker: { ingressRules: [serving] },
  };
}

/** The settings that the spec does not mention and the installation supports. */
function missingIn(
  { spec, context }: ClusterState,
  { authOptions, networkPolicy, tlsOptions }: Secured,
): Partial<Secured> {
  const { RayClusterMTLS: hasTls, RayClusterNetworkPolicy: hasPolicies } = context.gates;
  return {
    ...(spec.authOptions === undefined ? { authOptions } : {}),
    ...(hasPolicies && spec.networkPolicy === undefined ? { networkPolicy } : {}),
    ...(hasTls && spec.tlsOptions === undefined ? { tlsOptions } : {}),
  };
}
