import { GATEWAY_GROUP } from './gateway/kinds.ts';

/** What the router must be allowed to do, as the rules of a ClusterRole. */
export const ROUTER_RULES = [
  { apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['get', 'list', 'watch'] },
  {
    apiGroups: [GATEWAY_GROUP],
    resources: ['gateways', 'httproutes', 'referencegrants'],
    verbs: ['get', 'list', 'watch'],
  },
  // For HTTPS listeners only; without this rule they are not served and report why. The router watches single Secrets by name, so the rule may be
  // narrowed with `resourceNames`; `list` and `watch` are needed for that, too.
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [GATEWAY_GROUP], resources: ['gatewayclasses'], verbs: ['get', 'list', 'watch', 'create'] },
  {
    apiGroups: [GATEWAY_GROUP],
    resources: ['gatewayclasses/status', 'gateways/status', 'httproutes/status'],
    verbs: ['patch'],
  },
] as const;
