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

/** What to tell a user who wants a serve Service and has no port for it. */
export const NO_SERVE_PORT =
  "Please specify a port named 'serve' (or with the prefix 'serve-', e.g. 'serve-grpc') in the Ray head container; otherwise, the Kubernetes service for Ray Serve will not be created.";

/** Has the user asked for a Service in front of Ray Serve? */
export function wantsServeService({ metadata }: RayCluster): boolean {
  return metadata?.annotations?.[Annotation.EnableServeService] === 'true';
}

/** The Service in front of Ray Serve on all pods of a cluster; undefined where the head declares no port for it. */
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
