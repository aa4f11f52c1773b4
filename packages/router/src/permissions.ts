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
  // For HTTPS listeners only; without it they are not served, and say so.
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [GATEWAY_GROUP], resources: ['gatewayclasses'], verbs: ['get', 'list', 'watch', 'create'] },
  {
    apiGroups: [GATEWAY_GROUP],
    resources: ['gatewayclasses/status', 'gateways/status', 'httproutes/status'],
    verbs: ['patch'],
  },
] as const;
