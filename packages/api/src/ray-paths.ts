/** Health paths of Ray, as probes and the Serve proxy check ask for them; only the first carries a leading slash. */
export const RayPath = {
  /** One path for all of a node's processes, from Ray 2.53 on. */
  NodeHealth: '/api/healthz',
  RayletHealth: 'api/local_raylet_healthz',
  GcsHealth: 'api/gcs_healthz',
  ServeProxyHealth: '-/healthz',
} as const;

/** The Serve application that a configuration without a name deploys. */
export const DEFAULT_SERVE_APP = 'default';
