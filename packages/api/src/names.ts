import { NodeType } from './labels.ts';
import { MAX_LABEL_LENGTH } from './limits.ts';

/** Longest name that leaves room for what Kubernetes appends to a `generateName`. */
const MAX_NAME = 50;
/** A Route's host is `<name>-<namespace>`, a single DNS label. */
const MAX_ROUTE_AND_NAMESPACE = 51;
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MS_PER_MINUTE = 60_000;

/** Keeps the last 50 characters, and replaces a first character that no name may start with by `r`. */
export function checkName(name: string): string {
  return name
    .slice(-MAX_NAME)
    .replace(/^\p{Nd}/u, 'r')
    .replace(/^\p{P}/u, 'r');
}

/** Keeps the last 63 characters, and replaces a leading punctuation mark by `r`. */
export function checkLabel(value: string): string {
  return value.slice(-MAX_LABEL_LENGTH).replace(/^\p{P}/u, 'r');
}

/** Keeps as many of the first characters as a Route's host has room for; a namespace that leaves none is ignored. */
export function checkRouteName(name: string, namespace: string): string {
  const room = MAX_ROUTE_AND_NAMESPACE - namespace.length;
  return checkName(room > 0 ? name.slice(0, room) : name);
}

/** Name of a pod from the first 50 characters of a prefix; a `generateName` ends in a hyphen. */
export function podName(prefix: string, nodeType: NodeType, isGenerateName: boolean): string {
  return `${prefix.slice(0, MAX_NAME)}-${nodeType}${isGenerateName ? '-' : ''}`.toLowerCase();
}

/** Five random letters and digits as Kubernetes uses them; `random` gives numbers from 0 to below 1. */
export function randomSuffix(random: () => number): string {
  return Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET.charAt(Math.floor(random() * ALPHABET.length))).join('');
}

/** Name of a thing that gets a new name each time: `<prefix>-<suffix>`. */
function withSuffix(prefix: string, suffix: string): string {
  return `${prefix}-${suffix}`;
}

/** Names of the pods of a RayCluster. */
export const podNames = {
  /** Used where the operator is told to name head pods itself. */
  head: (cluster: string): string => podName(cluster, NodeType.Head, false),
  headPrefix: (cluster: string): string => podName(cluster, NodeType.Head, true),
  workerPrefix: (cluster: string, group: string): string => podName(`${cluster}-${group}`, NodeType.Worker, true),
  /** Name of one replica of a multi-host group. */
  replica: withSuffix,
  /** Value of the identifier label of a pod or a head Service. */
  identifier: (owner: string, nodeType: NodeType): string => checkLabel(`${owner}-${nodeType}`),
} as const;

/** Names of Services, and of what is in front of them. */
export const serviceNames = {
  /** A name of the user's own counts only for a RayCluster's Service, never for that of a RayJob or RayService. */
  head: (owner: string, custom?: string): string => custom || `${owner}-head-svc`,
  headFqdn: (service: string, namespace: string, domain: string): string => `${service}.${namespace}.svc.${domain}`,
  /** The value of `RAY_IP`: the first part of the head's full name. */
  rayIp: (fqdn: string): string => fqdn.replace(/\..*$/s, ''),
  serve: (owner: string, custom?: string): string => custom || `${owner}-serve-svc`,
  /** Value of the serve label on a serve Service. */
  serveLabel: (owner: string): string => `${owner}-serve`,
  headlessWorkers: (cluster: string): string => `${cluster}-headless`,
  ingress: (cluster: string): string => checkName(`${cluster}-head-ingress`),
  route: (cluster: string, namespace: string): string => checkRouteName(`${cluster}-head-route`, namespace),
  gateway: (rayService: string): string => `${rayService}-gateway`,
  httpRoute: (rayService: string): string => `${rayService}-httproute`,
} as const;

/** Names of the other objects that belong to a RayCluster. */
export const clusterObjectNames = {
  /** An account or a Secret of the user's own keeps its name as it is. */
  serviceAccount: (cluster: string, custom?: string): string => custom || checkName(cluster),
  role: checkName,
  roleBinding: checkName,
  authSecret: (cluster: string, custom?: string): string => custom || checkName(cluster),
  gcsClaim: (cluster: string, custom?: string): string => custom || `${cluster}-gcs-pvc`,
  headBudget: (cluster: string): string => `${cluster}-head`,
  redisCleanupJob: (cluster: string): string => checkLabel(`${cluster}-redis-cleanup`),
  headNetworkPolicy: (cluster: string): string => `${cluster}-head`,
  workerNetworkPolicy: (cluster: string, group: string): string => `${cluster}-workers-${group}`,
  volcanoPodGroup: (rayJobOrCluster: string): string => `ray-${rayJobOrCluster}-pg`,
  wasWorkload: (cluster: string): string => cluster,
  wasPodGroup: (cluster: string): string => `${cluster}-cluster`,
} as const;

/** Names of the certificates of a RayCluster with mutual TLS. */
export const pkiNames = {
  selfSignedIssuer: (cluster: string): string => `ray-selfsigned-issuer-${cluster}`,
  caCertificate: (cluster: string): string => `ray-ca-certificate-${cluster}`,
  caIssuer: (cluster: string): string => `ray-ca-issuer-${cluster}`,
  headCertificate: (cluster: string): string => `ray-head-cert-${cluster}`,
  workerCertificate: (cluster: string): string => `ray-worker-cert-${cluster}`,
  headSecret: (cluster: string): string => `ray-head-secret-${cluster}`,
  workerSecret: (cluster: string): string => `ray-worker-secret-${cluster}`,
  /** Carries a part of the UID, so that a cluster made again under the same name gets a new authority. */
  caSecret: (cluster: string, uid: string): string => `${cluster}-ca-secret-${uid.slice(0, 8)}`,
} as const;

/** Names of what a RayJob, RayService or RayCronJob makes. */
export const childNames = {
  rayCluster: withSuffix,
  rayJobId: withSuffix,
  submitterJob: (rayJob: string): string => rayJob,
  /** The same for all ticks within a minute, so that a tick can't make two jobs. */
  cronRayJob: (rayCronJob: string, tickMs: number): string => `${rayCronJob}-${Math.floor(tickMs / MS_PER_MINUTE)}`,
} as const;
