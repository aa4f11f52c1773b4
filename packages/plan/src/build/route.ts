import { isSameJson, type KubeObject, type RayCluster, type RayClusterSpec, serviceNames } from '@manta/api';
import { childMetadata, headFrontLabels } from './child-metadata.ts';
import { inheritedAnnotations } from './ingress.ts';
import { draftOf, rayContainerOf } from './pod-draft.ts';
import { dashboardPort } from './service-ports.ts';

/** OpenShift's own kind of Ingress, as far as we use it. */
export interface Route extends KubeObject {
  readonly spec: {
    readonly to: { readonly kind: string; readonly name: string; readonly weight: number };
    readonly port: { readonly targetPort: number };
    readonly wildcardPolicy: string;
  };
}

/** The Route in front of the head's dashboard; undefined unless it is wanted. */
export function buildRoute(cluster: RayCluster, spec: RayClusterSpec): Route | undefined {
  const { enableIngress, headService, template } = spec.headGroupSpec;
  if (enableIngress !== true) return undefined;
  const { name = '', namespace = '' } = cluster.metadata ?? {};
  return {
    apiVersion: 'route.openshift.io/v1',
    kind: 'Route',
    metadata: childMetadata(
      cluster,
      // Cutting to length may leave a hyphen at the end, which no name may have.
      serviceNames.route(name, namespace).replace(/-+$/, ''),
      headFrontLabels(cluster),
      inheritedAnnotations(cluster),
    ),
    spec: {
      to: { kind: 'Service', name: serviceNames.head(name, headService?.metadata?.name), weight: 100 },
      port: { targetPort: dashboardPort(rayContainerOf(draftOf(template).spec)) },
      wildcardPolicy: 'None',
    },
  };
}

/** The live Route as it should be, or undefined where it is so already; what others have added stays. */
export function alignRoute(live: Route, wanted: Route): Route | undefined {
  const labels = { ...live.metadata?.labels, ...wanted.metadata?.labels };
  const annotations = { ...live.metadata?.annotations, ...wanted.metadata?.annotations };
  const spec = { ...live.spec, to: { ...live.spec.to, ...wanted.spec.to }, port: wanted.spec.port };
  const aligned = { ...live, metadata: { ...live.metadata, labels, annotations }, spec };
  const before = { ...live, metadata: { ...live.metadata, ...onlyWords(live) } };
  return isSameJson(aligned, before) ? undefined : aligned;
}

function onlyWords({ metadata }: Route): Pick<NonNullable<Route['metadata']>, 'labels' | 'annotations'> {
  return { labels: metadata?.labels ?? {}, annotations: metadata?.annotations ?? {} };
}
