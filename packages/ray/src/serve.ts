import { RAY_LIMITS } from '@manta/base';
import { statusError } from './call-head.ts';
import type { CommandOutcome } from './command.ts';
import { expectObject, type HeadCalls, isGood, type Reading, tooMany, unexpected } from './head-calls.ts';
import { isJsonObject, type JsonObject, mapObjects, messageOf, numberOf, objectOf, textOf } from './json-fields.ts';
import { KeptText } from './kept-text.ts';
import type { ServeApplication, ServeDeployment, ServeDetails, ServeProxy } from './serve-details.ts';

/** The Serve applications that were deployed by configuration, with their deployments. */
export async function getServe(calls: HeadCalls): Promise<ServeDetails> {
  const path = '/api/serve/applications/?api_type=declarative';
  return await calls.json(calls.question('GetServeDetails', 'serve', path), readDetails);
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

/** Whether Serve's proxy is healthy. A proxy that does not respond in time is not. */
export async function isProxyHealthy(calls: HeadCalls, url: string): Promise<boolean> {
  const bounds = { url: `${url}/-/healthz`, timeoutMs: RAY_LIMITS.proxyHealthMs };
  const answer = await calls.answer(calls.question('CheckProxyActorHealth', 'health', '', bounds));
  return answer.status === 200;
}

function readDetails(reading: Reading): ServeDetails {
  const details = expectObject(reading);
  const { applications } = details;
  if (applications !== null && applications !== undefined && !isJsonObject(applications)) {
    throw unexpected(reading, 'has applications that are no mapping');
  }
  const proxies = objectOf(details, 'proxies');
  checkCounts(reading, applications ?? {}, proxies);
  const text = new KeptText(RAY_LIMITS.keptCharacters);
  const keep: Keep = { text, config: reading.mayKeepConfig };
  return {
    targetCapacity: numberOf(details, 'target_capacity'),
    applications: mapObjects(text.named(applications ?? {}), (each) => readApplication(each, keep)),
    proxies: mapObjects(text.named(proxies), (each) => readProxy(each, text)),
  };
}

/** Refuses an answer that lists more than a status could hold, before anything is made of it. */
function checkCounts(reading: Reading, applications: JsonObject, proxies: JsonObject): void {
  const each = Object.values(applications).filter(isJsonObject);
  const deployments = each.reduce((sum, one) => sum + Object.keys(objectOf(one, 'deployments')).length, 0);
  const counts = { applications: each.length, deployments, proxies: Object.keys(proxies).length };
  for (const what of ['applications', 'deployments', 'proxies'] as const) {
    if (counts[what] > RAY_LIMITS[what]) throw tooMany(reading, what, counts[what], RAY_LIMITS[what]);
  }
}

/** What is kept of an answer. */
interface Keep {
  readonly text: KeptText;
  readonly config: boolean;
}

function readApplication(application: JsonObject, keep: Keep): ServeApplication {
  const { text } = keep;
  const routePrefix = textOf(application, 'route_prefix');
  return {
    status: text.status(textOf(application, 'status') ?? ''),
    message: text.words(messageOf(application, 'message')),
    routePrefix: routePrefix === undefined ? undefined : text.words(routePrefix),
    deployedConfig: keep.config ? deployedConfigOf(application) : undefined,
    deployments: mapObjects(text.named(objectOf(application, 'deployments')), (each) => readDeployment(each, text)),
  };
}

function deployedConfigOf(application: JsonObject): JsonObject | undefined {
  const config = application['deployed_app_config'];
  return isJsonObject(config) ? config : undefined;
}

function readDeployment(deployment: JsonObject, text: KeptText): ServeDeployment {
  return {
    status: text.status(textOf(deployment, 'status') ?? ''),
    message: text.words(messageOf(deployment, 'message')),
    targetNumReplicas: numberOf(deployment, 'target_num_replicas'),
    servingReplicas: servingReplicasOf(deployment),
  };
}

/** States in which Serve routes requests to a replica. A replica on a draining node answers until its replacement runs. */
const SERVING_STATES: readonly unknown[] = ['RUNNING', 'PENDING_MIGRATION'];

function servingReplicasOf({ replicas }: JsonObject): number | undefined {
  if (!Array.isArray(replicas)) return undefined;
  return replicas.filter((replica) => isJsonObject(replica) && SERVING_STATES.includes(replica['state'])).length;
}

function readProxy(proxy: JsonObject, text: KeptText): ServeProxy {
  return { status: text.status(textOf(proxy, 'status') ?? ''), nodeIp: text.status(textOf(proxy, 'node_ip') ?? '') };
}
