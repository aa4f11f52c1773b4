import { isSameJson, type KubeObject, type RayCluster, type RayClusterSpec, serviceNames } from '@manta/api';
import { childMetadata, headFrontLabels } from './child-metadata.ts';
import { inheritedAnnotations } from './ingress.ts';
import { draftOf, rayContainerOf } from './pod-draft.ts';
import { dashboardPort } from './service-ports.ts';

/** The fields of OpenShift's Route that the operator uses. */
export interface Route extends KubeObject {
  readonly spec: {
    readonly to: { readonly kind: string; readonly name: string; readonly weight: number };
    readonly port: { readonly targetPort: number };
    readonly wildcardPolicy: string;
  };
}

/** The Route to the head's dashboard; undefined unless enabled. */
export function buildRoute(cluster: RayCluster, spec: RayClusterSpec): Route | undefined {
  const { enableIngress, headService, template } = spec.headGroupSpec;
  if (enableIngress !== true) return undefined;
  const { name = '', namespace = '' } = cluster.metadata ?? {};
  return {
    apiVersion: 'route.openshift.io/v1',
    kind: 'Route',
    metadata: childMetadata(
      cluster,
      // Truncation may leave a trailing hyphen, which is invalid in a name.
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

/** The existing Route with the desired fields; undefined when nothing has to change. Keeps fields that others added. */
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
