import { canonicalJson, type RayService, serviceNames } from '@manta/api';
import type { HttpBackendRef, HttpRoute, HttpRouteRule } from '../rayservice/observed.ts';
import { controllerReference } from './owner.ts';

/** A Service and its traffic weight. */
export interface Backend {
  readonly service: string;
  readonly port: number;
  readonly weight: number;
}

/** The HTTPRoute that splits the traffic between the clusters of a service by weight. */
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

/** The existing route with the desired fields; undefined when no managed field differs. */
export function alignHttpRoute(live: HttpRoute, wanted: HttpRoute): HttpRoute | undefined {
  return managed(live) === managed(wanted) ? undefined : { ...live, spec: { ...wanted.spec } };
}

/**
 * A user's adopted route with the traffic weights of a service: in each rule with a backend of the service, those backends are replaced and
 * everything else stays. Undefined when nothing differs; `none` when no rule has such a backend.
 */
export function shareInRoute(
  live: HttpRoute,
  isOurs: (service: string) => boolean,
  backends: readonly Backend[],
): HttpRoute | 'none' | undefined {
  const rules = live.spec?.rules ?? [];
  const namespace = live.metadata?.namespace ?? '';
  if (!rules.some(({ backendRefs = [] }) => backendRefs.some(({ name }) => isOurs(name)))) return 'none';
  const shared = rules.map((rule) => {
    const refs = rule.backendRefs ?? [];
    const [first] = refs.filter(({ name }) => isOurs(name));
    if (first === undefined) return rule;
    // The user's settings of a backend, e.g. filters, apply to the backends that replace it.
    const ours = backends.map((backend) => ({ ...first, ...backendRef(backend, namespace) }));
    return { ...rule, backendRefs: [...ours, ...refs.filter(({ name }) => !isOurs(name))] };
  });
  const next = { ...live, spec: { ...live.spec, rules: shared } };
  return managed(next) === managed(live) ? undefined : next;
}

/** The traffic weight of a cluster in the route; undefined if the route does not name the cluster. */
export function weightOf(route: HttpRoute, cluster: string): number | undefined {
  const name = serviceNames.serve(cluster);
  const ref = route.spec?.rules?.flatMap(({ backendRefs = [] }) => backendRefs).find((each) => each.name === name);
  return ref === undefined ? undefined : weightOrDefault(ref);
}

function backendRef({ service, port, weight }: Backend, namespace: string): HttpBackendRef {
  return { name: service, namespace, port, weight };
}

function weightOrDefault({ weight = 1 }: HttpBackendRef): number {
  return weight;
}

/** The managed fields, without API defaults; absent and empty are equal. */
function managed({ spec }: HttpRoute): string {
  const parents = (spec?.parentRefs ?? []).map(({ name, namespace }) => [name, namespace]);
  return canonicalJson([spec?.hostnames ?? [], parents, (spec?.rules ?? []).map(managedRule)]);
}

function managedRule({ matches = [], filters = [], backendRefs = [] }: HttpRouteRule): unknown {
  const refs = backendRefs.map((ref) => [ref.name, ref.namespace, weightOrDefault(ref), ref.port ?? 0]);
  return [matches, filters, refs];
}
