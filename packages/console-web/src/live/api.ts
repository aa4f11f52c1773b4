import { sessionKey } from './session-key.ts';

/** An answer that is not a success, in the words of the API server or of the console. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  readonly status: number;
  /** The whole answer, if it was JSON. */
  readonly body: unknown;

  constructor(status: number, message: string, body?: unknown) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

/** Sends a request to the console's server with the key of the session, whatever the server answers. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('x-manta-console', sessionKey() ?? 'none');
  return await fetch(path, { ...init, headers });
}

/** Like {@link ask}; an answer that is not a success is thrown. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await ask(path, init);
  if (answer.ok) return answer;
  const body: unknown = await answer.json().catch(() => undefined);
  const message = typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : undefined;
  throw new RequestFailed(answer.status, message ?? `the server answered ${answer.status}`, body);
}

/** Names of the kinds in paths. */
export const PLURALS = {
  RayCluster: 'rayclusters',
  RayJob: 'rayjobs',
  RayService: 'rayservices',
  RayCronJob: 'raycronjobs',
};
export type RayKind = keyof typeof PLURALS;

/** Path of a Ray object at the API server. */
export function rayPath(kind: RayKind, namespace: string, name: string): string {
  return `/apis/ray.io/v1/namespaces/${encodeURIComponent(namespace)}/${PLURALS[kind]}/${encodeURIComponent(name)}`;
}

/** Merges a change into an object. */
export async function merge(kind: RayKind, namespace: string, name: string, change: object): Promise<void> {
  await send(`${rayPath(kind, namespace, name)}?fieldManager=manta-console`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify(change),
  });
}

/** Sets or clears `spec.suspend`. */
export async function setSuspend(kind: RayKind, namespace: string, name: string, suspend: boolean): Promise<void> {
  await merge(kind, namespace, name, { spec: { suspend } });
}

export async function remove(kind: RayKind, namespace: string, name: string): Promise<void> {
  await send(rayPath(kind, namespace, name), { method: 'DELETE' });
}

/** Evicts a pod, which respects disruption budgets; its controller creates another. */
export async function evict(namespace: string, name: string): Promise<void> {
  await send(`/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } }),
  });
}
