import { statusError } from './call-head.ts';
import type { CommandOutcome } from './command.ts';
import { expectObject, type HeadCalls, isGood, unexpected } from './head-calls.ts';
import { isJsonObject, type JsonObject, mapObjects, messageOf, numberOf, objectOf, textOf } from './json-fields.ts';
import type { ServeApplication, ServeDeployment, ServeDetails, ServeProxy } from './serve-details.ts';

/** The Serve applications that were deployed by configuration, with their deployments. */
export async function getServe(calls: HeadCalls): Promise<ServeDetails> {
  const call = calls.question('GetServeDetails', '/api/serve/applications/?api_type=declarative');
  const details = expectObject(call, await calls.json(call));
  const { applications = null } = details;
  if (applications !== null && !isJsonObject(applications)) {
    throw unexpected(call, details, 'has applications that are no mapping');
  }
  return {
    targetCapacity: numberOf(details, 'target_capacity'),
    applications: mapObjects(applications ?? {}, readApplication),
    proxies: mapObjects(objectOf(details, 'proxies'), readProxy),
  };
}

/** Replaces the whole Serve configuration. */
export async function putServe(
  calls: HeadCalls,
  config: JsonObject,
): Promise<CommandOutcome & { readonly kind: 'put-serve' }> {
  const call = calls.command('UpdateDeployments', 'PUT', '/api/serve/applications/', config);
  const answer = await calls.answer(call);
  if (!isGood(answer.status)) throw statusError(call, answer);
  return { kind: 'put-serve' };
}

/** A proxy that does not answer in this time serves nobody. */
const PROXY_TIMEOUT_MS = 2_000;

/** Whether Serve's proxy says that it is well. */
export async function isProxyHealthy(calls: HeadCalls, url: string): Promise<boolean> {
  const bounds = { url: `${url}/-/healthz`, maxBytes: 64 * 1024, timeoutMs: PROXY_TIMEOUT_MS };
  const answer = await calls.answer(calls.question('CheckProxyActorHealth', '', bounds));
  return answer.status === 200;
}

function readApplication(application: JsonObject): ServeApplication {
  return {
    status: textOf(application, 'status') ?? '',
    message: messageOf(application, 'message'),
    routePrefix: textOf(application, 'route_prefix'),
    deployedConfig: deployedConfigOf(application),
    deployments: mapObjects(objectOf(application, 'deployments'), readDeployment),
  };
}

function deployedConfigOf(application: JsonObject): JsonObject | undefined {
  const config = application['deployed_app_config'];
  return isJsonObject(config) ? config : undefined;
}

function readDeployment(deployment: JsonObject): ServeDeployment {
  return {
    status: textOf(deployment, 'status') ?? '',
    message: messageOf(deployment, 'message'),
    targetNumReplicas: numberOf(deployment, 'target_num_replicas'),
  };
}

function readProxy(proxy: JsonObject): ServeProxy {
  return { status: textOf(proxy, 'status') ?? '', nodeIp: textOf(proxy, 'node_ip') ?? '' };
}
