/**
 * Talks to an API server. `loadConnection` reads kubeconfigs and in-cluster credentials, `createTransport` keeps HTTP/2 sessions and retries,
 * `createKubeClient` sends typed requests and watches. Besides: logs, exec and port-forward of pods, discovery, access reviews, certificates.
 */
export * from './api-error.ts';
export * from './client/access-review.ts';
export * from './client/api-proxy.ts';
export {
  type CertificateAuthority,
  type CertificateRequest,
  createCertificateAuthority,
  type IssuedCertificate,
  openCertificateAuthority,
  renewCertificateAuthority,
} from './certificates/authority.ts';
export * from './client/client.ts';
export { streamOfList } from './client/stream-of-list.ts';
export * from './clock.ts';
export { ConfigError } from './config/config-error.ts';
export type { LoadedConnection } from './config/configured-connection.ts';
export { type Command, type CommandResult, type Env, type Host, systemHost } from './config/host.ts';
export { isInCluster, loadInCluster, serviceAccountNamespace } from './config/in-cluster.ts';
export { type LoadOptions, loadConnection } from './config/load.ts';
export type { ConnectionOverrides } from './config/overrides.ts';
export { connectThroughProxy, displayUrl, tunnelTarget } from './config/proxy-connect.ts';
export { proxyFor } from './config/proxy-for.ts';
export type { TunnelTarget } from './config/socks5.ts';
export type { Connection, Credentials, ServerTls } from './transport/connection.ts';
export * from './client/discovery.ts';
export { createKubeClient, type KubeClientOptions, type ServerWarning } from './client/kube-client.ts';
export { applyMergePatch, createMergePatch } from './client/merge-patch.ts';
export { type RateLimit, TokenBucket } from './client/rate-limit.ts';
export * from './resource-type.ts';
export * as resources from './resources.ts';
export { LineSplitter } from './bytes/lines.ts';
export { createTransport, type TransportOptions } from './transport/create-transport.ts';
export { explainConnectFailure } from './transport/explain-connect-failure.ts';
export {
  attachToPod,
  execInPod,
  runInPod,
  type AttachOptions,
  type ExecOptions,
  type PodSession,
} from './pod-streams/exec.ts';
export type { ExitStatus } from './pod-streams/exit-status.ts';
export { type ForwardOptions, forwardPorts, type PortForwarding } from './pod-streams/local-forward.ts';
export { type LogOptions, podLogLines, podLogs } from './pod-streams/logs.ts';
export { openPodPorts, type PodPortsOptions } from './pod-streams/port-forward.ts';
export * from './transport/transport.ts';
export { VARINT, WireError, WireReader } from './wire/reader.ts';
export { type Field, METADATA, type Shape, shapeOf } from './wire/shape.ts';
export { kubeconfigText } from './config/kubeconfig-text.ts';
