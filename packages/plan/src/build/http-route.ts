import { canonicalJson, type RayService, serviceNames } from '@manta/api';
import type { HttpBackendRef, HttpRoute, HttpRouteRule } from '../rayservice/observed.ts';
import { controllerReference } from './owner.ts';

/** A cluster that gets a share of the traffic. */
export interface Backend {
  readonly cluster: string;
  readonly port: number;
  readonly weight: number;
}

/** The HTTPRoute that shares the traffic out between the clusters of a service. */
export function buildHttpRoute(service: RayService, backends: readonly Backend[]): HttpRoute {
  const { name = '', namespace = '' } = service.metadata ?? {};
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: {
      name: serviceNames.httpRoute(name),
      namespace,
      ownerReferences: [controllerReference('RayService', service)],
    },
    spec: {
      parentRefs: [{ name: serviceNames.gateway(name), namespace }],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/' } }],
          backendRefs: backends.map((backend) => backendRef(backend, namespace)),
        },
      ],
    },
  };
}

/** The route as it should be, made from the one that is there; undefined when nothing that we manage differs. */
export function alignHttpRoute(live: HttpRoute, wanted: HttpRoute): HttpRoute | undefined {
  return managed(live) === managed(wanted) ? undefined : { ...live, spec: { ...wanted.spec } };
}

/** The share of a cluster's traffic as the route has it; undefined where the route does not name the cluster. */
export function weightOf(route: HttpRoute, cluster: string): number | undefined {
  const name = serviceNames.serve(cluster);
  const ref = route.spec?.rules?.flatMap(({ backendRefs = [] }) => backendRefs).find((each) => each.name === name);
  return ref === undefined ? undefined : weightOrDefault(ref);
}

function backendRef({ cluster, port, weight }: Backend, namespace: string): HttpBackendRef {
  return { name: serviceNames.serve(cluster), namespace, port, weight };
}

function weightOrDefault({ weight = 1 }: HttpBackendRef): number {
  return weight;
}

/** What we manage, without what the API adds and without the difference between absent and empty. */
function managed({ spec }: HttpRoute): string {
  const parents = (spec?.parentRefs ?? []).map(({ name, namespace }) => [name, namespace]);
  return canonicalJson([spec?.hostnames ?? [], parents, (spec?.rules ?? []).map(managedRule)]);
}

function managedRule({ matches = [], filters = [], backendRefs = [] }: HttpRouteRule): unknown {
  const refs = backendRefs.map((ref) => [ref.name, ref.namespace, weightOrDefault(ref), ref.port ?? 0]);
  return [matches, filters, refs];
}
