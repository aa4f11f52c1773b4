/** What a head says about its Serve applications. */
export interface ServeDetails {
  readonly targetCapacity?: number | undefined;
  /** By name, as the head names them. */
  readonly applications: Readonly<Record<string, ServeApplication>>;
  /** Serve's HTTP proxies by Ray node id. */
  readonly proxies: Readonly<Record<string, ServeProxy>>;
}

/** One Serve application; statuses as the head says them (`RUNNING`, `DEPLOYING`, `UNHEALTHY`, `DEPLOY_FAILED` …). */
export interface ServeApplication {
  readonly status: string;
  readonly message: string;
  readonly routePrefix?: string | undefined;
  /** The configuration that it was deployed from, if Ray reports it. */
  readonly deployedConfig?: Readonly<Record<string, unknown>> | undefined;
  readonly deployments: Readonly<Record<string, ServeDeployment>>;
}

/** One deployment of a Serve application. */
export interface ServeDeployment {
  readonly status: string;
  readonly message: string;
  readonly targetNumReplicas?: number | undefined;
  /** Replicas that take requests; undefined if the head does not list replicas. */
  readonly servingReplicas?: number | undefined;
}

/** One of Serve's HTTP proxies. */
export interface ServeProxy {
  readonly status: string;
  readonly nodeIp: string;
}
