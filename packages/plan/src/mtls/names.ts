import { NodeType, type RayCluster, type RayClusterSpec } from '@manta/api';
import type { BuildContext } from '../build/context.ts';
import { headFqdn } from '../build/head-pod.ts';
import type { PodRecord } from '../raycluster/observed.ts';

/** The subject names of a certificate; sorted, so that equal sets are equal lists. */
export interface CertificateNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

const LOCAL_NAME = 'localhost';
const LOCAL_ADDRESS = '127.0.0.1';

/** The names of the head: its Service's DNS names and its pod's addresses. */
export function headNames(
  cluster: RayCluster,
  spec: RayClusterSpec,
  pods: readonly PodRecord[],
  context: BuildContext,
): CertificateNames {
  return {
    dnsNames: [LOCAL_NAME, headFqdn(cluster, spec, context)].toSorted(),
    ipAddresses: addresses(pods, NodeType.Head),
  };
}

/** The names of all workers, which share one certificate. */
export function workerNames(pods: readonly PodRecord[]): CertificateNames {
  return { dnsNames: [LOCAL_NAME], ipAddresses: addresses(pods, NodeType.Worker) };
}

function addresses(pods: readonly PodRecord[], nodeType: NodeType): readonly string[] {
  const living = pods.filter(
    (pod) =>
      pod.nodeType === nodeType &&
      !pod.isTerminating &&
      pod.phase !== 'Succeeded' &&
      pod.phase !== 'Failed' &&
      pod.podIP !== '',
  );
  return [...new Set([LOCAL_ADDRESS, ...living.map(({ podIP }) => podIP)])].toSorted();
}
