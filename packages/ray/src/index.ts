/**
 * Ray's HTTP API (jobs, Serve, nodes) with limits for what a head may answer, and the poller, which keeps each head's last answers so that no
 * reconcile waits for a dashboard.
 */
export * from './call-error.ts';
export type * from './clock.ts';
export type * from './command.ts';
export type * from './head.ts';
export * from './job-info.ts';
export { isKubernetesStatus } from './kubernetes-status.ts';
export type * from './node-info.ts';
export type * from './poller/contract.ts';
export { createRayPoller } from './poller/create-poller.ts';
export type * from './question.ts';
export type * from './serve-details.ts';
export type * from './transport.ts';
export { createRayClient, type RayClient, type RayClientOptions } from './ray-client.ts';
export { type ApiServerTransport, sendThroughApiServerProxy } from './api-server-send.ts';
export { createHttpSend, type HttpSend, type HttpSendOptions } from './http-send.ts';
export { followJob, type Follower, type JobEnd, type TailLogs } from './follow/follow-job.ts';
export { within } from './follow/within.ts';
export { sleep as wait } from '@manta/base';
export { followLogs, type FollowLogsOptions } from './follow-logs.ts';
