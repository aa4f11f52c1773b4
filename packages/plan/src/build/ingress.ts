import {
  Annotation,
  type Ingress,
  IngressPathType,
  isSameJson,
  type RayCluster,
  type RayClusterSpec,
  type StringMap,
  serviceNames,
} from '@manta/api';
import { childMetadata, headFrontLabels } from './child-metadata.ts';
import { draftOf, rayContainerOf } from './pod-draft.ts';
import { dashboardPort } from './service-ports.ts';

/** The Ingress to the head's dashboard; undefined unless enabled. */
export function buildIngress(
  cluster: RayCluster,
  spec: RayClusterSpec,
  name = serviceNames.ingress(cluster.metadata?.name ?? ''),
): Ingress | undefined {
  const { enableIngress, ingressOptions = {} } = spec.headGroupSpec;
  if (enableIngress !== true) return undefined;
  const { [Annotation.IngressClass]: ingressClassName, ...annotations } = inheritedAnnotations(cluster);
  const { host, path, pathType, tls = [] } = ingressOptions;
  const rule = {
    ...(host ? { host } : {}),
    http: {
      paths: [{ ...pathOf(path, pathType), backend: backendOf(cluster, spec) }],
    },
  };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: childMetadata(cluster, name, headFrontLabels(cluster), annotations),
    spec: {
      ...(ingressClassName ? { ingressClassName } : {}),
      rules: [rule],
      ...(tls.length === 0 ? {} : { tls }),
    },
  };
}

/** An existing Ingress. */
export interface LiveIngress extends Ingress {
  /** Annotation keys that only the operator set, according to managedFields. */
  readonly inherited?: readonly string[];
}

/**
 * The existing Ingress with the desired fields; undefined when nothing has to change. Keeps labels and annotations that others added, and a
 * default class that the installation filled in. Removes annotations that came from the cluster and were removed there.
 */
export function alignIngress({ inherited = [], ...live }: LiveIngress, wanted: Ingress): Ingress | undefined {
  const { ingressClassName } = live.spec ?? {};
  const spec = { ...(ingressClassName === undefined ? {} : { ingressClassName }), ...wanted.spec };
  const labels = { ...live.metadata?.labels, ...wanted.metadata?.labels };
  const kept = Object.entries(live.metadata?.annotations ?? {}).filter(([key]) => !inherited.includes(key));
  const annotations = { ...Object.fromEntries(kept), ...wanted.metadata?.annotations };
  const before = [live.metadata?.labels ?? {}, live.metadata?.annotations ?? {}, live.spec];
  const isSame = isSameJson([labels, annotations, spec], before);
  return isSame ? undefined : { ...live, metadata: { ...live.metadata, labels, annotations }, spec };
}

/** Annotations for the ingress controller; kubectl's own annotation describes only the cluster. */
export function inheritedAnnotations({ metadata }: RayCluster): StringMap {
  const entries = Object.entries(metadata?.annotations ?? {});
  return Object.fromEntries(entries.filter(([key]) => !key.startsWith('kubectl.kubernetes.io/')));
}

/** A path may be empty only with pathType ImplementationSpecific. */
function pathOf(path: string | undefined, pathType: IngressPathType = IngressPathType.Prefix) {
  return path === '' && pathType === IngressPathType.ImplementationSpecific
    ? { pathType }
    : { path: path || '/', pathType };
}

function backendOf(cluster: RayCluster, spec: RayClusterSpec) {
  const { headService, template } = spec.headGroupSpec;
  const name = serviceNames.head(cluster.metadata?.name ?? '', headService?.metadata?.name);
  return { service: { name, port: { number: dashboardPort(rayContainerOf(draftOf(template).spec)) } } };
}
