/** Names of container and Service ports. */
export const PortName = {
  Client: 'client',
  GcsServer: 'gcs-server',
  Dashboard: 'dashboard',
  Metrics: 'metrics',
  Serve: 'serve',
  /** The listener of a Gateway. */
  Http: 'http',
} as const;
export type PortName = (typeof PortName)[keyof typeof PortName];

/** Port numbers that apply where a container or `rayStartParams` says nothing else. */
export const DefaultPort = {
  Client: 10001,
  GcsServer: 6379,
  Dashboard: 8265,
  Metrics: 8080,
  Serve: 8000,
  DashboardAgent: 52365,
  CollectorEvents: 8084,
  Http: 80,
} as const;

/** `appProtocol` of the Service ports that we make. */
export const DEFAULT_APP_PROTOCOL = 'tcp';

const SERVE_PORT_PREFIX = 'serve-';

/** Is this the name of a port that Ray Serve listens on: `serve`, or `serve-` and more (`server` is not)? */
export function isServePortName(name: string): boolean {
  return name === PortName.Serve || name.startsWith(SERVE_PORT_PREFIX);
}
