import { Label, NodeType } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import type { RayRequest, RayResponse, RaySend } from '@manta/ray';
import type { Backstage, Outside } from '../scenario.ts';
import { asPod, clusterOf, isReadyPod, NAMESPACE, STORED } from './stage.ts';

/**
 * What a head's Serve was told and how far it has got. It lies in a ConfigMap named after the head pod, where promises can be held
 * against it; the operator never looks there.
 */
export interface Serve {
  /** As it was put. */
  readonly config: { readonly applications?: readonly App[]; readonly target_capacity?: number };
  /** When the applications run as they were last told. */
  readonly readyAt: number;
  readonly isBroken: boolean;
  /** Since when somebody answers, though perhaps with older code. */
  readonly servesFrom: number | undefined;
}

interface App {
  readonly name?: string;
  readonly import_path?: string;
}

type Lister = (resource: (typeof STORED)[keyof typeof STORED]) => readonly StoredObject[];

/** What a head pod's Serve was told; undefined where it was told nothing. */
export function serveOf(list: Lister, head: StoredObject): Serve | undefined {
  const memory = list(STORED.memories).find(({ metadata }) => metadata.name === head.metadata.uid);
  const text = (memory as { readonly data?: { readonly serve?: string } } | undefined)?.data?.serve;
  return text === undefined ? undefined : (JSON.parse(text) as Serve);
}

/** In percent; a head that was told none serves in full. */
export function capacityOf({ config }: Serve): number {
  return config.target_capacity ?? 100;
}

/** The pod that is the head of a cluster now, if it is ready. */
export function headOf(list: Lister, cluster: string): StoredObject | undefined {
  return list(STORED.pods).find(
    (pod) => clusterOf(pod) === cluster && pod.metadata.labels?.[Label.NodeType] === NodeType.Head && isReadyPod(pod),
  );
}

/** Whether requests that reach this cluster are answered. */
export function canServe(list: Lister, cluster: string, now: number): boolean {
  const head = headOf(list, cluster);
  const serve = head === undefined ? undefined : serveOf(list, head);
  return serve?.servesFrom !== undefined && serve.servesFrom <= now && capacityOf(serve) > 0;
}

const DEPLOY_MS = [0, 0, 2_000, 10_000];

/** Ray heads, as far as RayServices ask them. A head that is not ready does not answer. */
export function serveSend({ backstage, exchange }: Outside): RaySend {
  return async (request: RayRequest): Promise<RayResponse> =>
    await exchange(`Ray ${request.method} ${new URL(request.url).pathname}`, () => answer(backstage, request));
}

function answer(backstage: Backstage, { url, method, body }: RayRequest): RayResponse {
  const list: Lister = (resource) => backstage.api.store.list(resource);
  const { hostname, pathname } = new URL(url);
  const head = headAt(list, hostname);
  if (head === undefined) throw new Error('connect ECONNREFUSED');
  const now = backstage.clock.now();
  const serve = serveOf(list, head);
  if (pathname === '/-/healthz') return respond(serve === undefined ? 503 : 200, 'success');
  if (!pathname.startsWith('/api/serve/applications')) return respond(404, '');
  if (method === 'PUT') {
    put(backstage, head, serve, JSON.parse(body ?? '{}') as Serve['config']);
    return respond(200, '{}');
  }
  return respond(200, JSON.stringify(serve === undefined ? { applications: {} } : details(serve, now)));
}

function headAt(list: Lister, host: string): StoredObject | undefined {
  const byAddress = list(STORED.pods).find((pod) => asPod(pod).status?.podIP === host);
  return headOf(list, byAddress === undefined ? (host.split('-head-svc')[0] ?? '') : clusterOf(byAddress));
}

/** Gives a head's Serve a configuration. What runs goes on running while the new is deployed. */
export function put(
  { api, clock, choices }: Backstage,
  head: StoredObject,
  before: Serve | undefined,
  config: Serve['config'],
): void {
  const now = clock.now();
  const isSameCode = codeOf(before?.config) === codeOf(config);
  const isBroken = codeOf(config).includes('broken');
  const readyAt = isSameCode && before !== undefined ? before.readyAt : now + (DEPLOY_MS[choices.pick(4)] ?? 0);
  const hasServed = before?.servesFrom !== undefined && before.servesFrom <= now;
  const servesFrom = hasServed ? before.servesFrom : isBroken ? undefined : readyAt;
  const serve = { config, readyAt, isBroken, servesFrom } satisfies Serve;
  const key = { resource: STORED.memories, namespace: NAMESPACE, name: head.metadata.uid };
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: head.metadata.uid,
      namespace: NAMESPACE,
      uid: `serve-${head.metadata.uid}`,
      creationTimestamp: '',
    },
    data: { serve: JSON.stringify(serve) },
  };
  if (api.store.get(key) === undefined) api.store.create(key, object);
  else api.store.update(key, object);
}

/** Deployments of an earlier configuration go on while a new one is deployed, and where it cannot be. */
function details({ config, readyAt, isBroken, servesFrom = Number.POSITIVE_INFINITY }: Serve, now: number): object {
  const status = now < readyAt ? 'DEPLOYING' : isBroken ? 'DEPLOY_FAILED' : 'RUNNING';
  const answering = servesFrom <= now ? { main: { name: 'main', status: 'HEALTHY', message: '' } } : {};
  const applications = (config.applications ?? []).map((app) => [
    app.name ?? '',
    { status, message: isBroken ? 'no such code' : '', deployed_app_config: app, deployments: answering },
  ]);
  return {
    applications: Object.fromEntries(applications),
    target_capacity: config.target_capacity ?? null,
    proxies: {},
  };
}

/** What is run, whatever its capacity. */
export function codeOf(config: Serve['config'] | undefined): string {
  return JSON.stringify(config?.applications ?? []);
}

function respond(status: number, text: string): RayResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: bytesOf(text) };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
