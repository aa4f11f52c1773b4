import {
  Annotation,
  Label,
  OriginCrd,
  type RayCluster,
  type RayClusterSpec,
  type Service,
  serviceNames,
} from '@manta/api';
import { childMetadata } from './child-metadata.ts';
import { draftOf, rayContainerOf } from './pod-draft.ts';
import { servePorts } from './service-ports.ts';

/** The message if the user wants a serve Service but the head declares no serve port. */
export const NO_SERVE_PORT =
  "Please specify a port named 'serve' (or with the prefix 'serve-', e.g. 'serve-grpc') in the Ray head container; otherwise, the Kubernetes service for Ray Serve will not be created.";

/** Does the user want a Service for Ray Serve? */
export function wantsServeService({ metadata }: RayCluster): boolean {
  return metadata?.annotations?.[Annotation.EnableServeService] === 'true';
}

/** The Service for Ray Serve on all pods of a cluster; undefined if the head declares no serve port. */
export function buildServeService(cluster: RayCluster, spec: RayClusterSpec): Service | undefined {
  const { template, serviceType } = spec.headGroupSpec;
  const ports = servePorts(rayContainerOf(draftOf(template).spec));
  if (ports.length === 0) return undefined;
  const { name = '' } = cluster.metadata ?? {};
  const labels = {
    [Label.OriginatedFromCrName]: name,
    [Label.OriginatedFromCrd]: OriginCrd.RayCluster,
    [Label.Serve]: serviceNames.serveLabel(name),
  };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: childMetadata(cluster, serviceNames.serve(name), labels),
    spec: { selector: { [Label.Cluster]: name }, ports, ...(serviceType ? { type: serviceType } : {}) },
  };
}
