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

/** The Ingress in front of the head's dashboard; undefined unless it is wanted. */
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

/** An Ingress as it is. */
export interface LiveIngress extends Ingress {
  /** Annotations that nobody but us has put on it, as far as the API server remembers. */
  readonly inherited?: readonly string[];
}

/**
 * The live Ingress as it should be, or undefined where it is so already. Labels and annotations that others have put on it stay, and so
 * does a class that the installation has filled in where the user asks for none. Annotations that it has from the cluster go when the
 * cluster no longer has them.
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

/** Annotations that speak to whatever serves the Ingress or Route; what kubectl keeps for itself is about the cluster alone. */
export function inheritedAnnotations({ metadata }: RayCluster): StringMap {
  const entries = Object.entries(metadata?.annotations ?? {});
  return Object.fromEntries(entries.filter(([key]) => !key.startsWith('kubectl.kubernetes.io/')));
}

/** Only where whoever serves the Ingress decides what a path means may it have none. */
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
