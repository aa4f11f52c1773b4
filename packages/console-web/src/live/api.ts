/** An answer that is not a success, in the words of the API server or of the console. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Sends a request to the console's server; every write carries the header that foreign pages cannot send. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('x-manta-console', '1');
  const answer = await fetch(path, { ...init, headers });
  if (answer.ok) return answer;
  const text = await answer.text();
  throw new RequestFailed(answer.status, messageIn(text) ?? `the server answered ${answer.status}`);
}

function messageIn(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && 'message' in parsed ? String(parsed.message) : undefined;
  } catch {
    return undefined;
  }
}

const PLURALS = { RayCluster: 'rayclusters', RayJob: 'rayjobs', RayService: 'rayservices', RayCronJob: 'raycronjobs' };
export type RayKind = keyof typeof PLURALS;

/** Path of a Ray object at the API server. */
export function rayPath(kind: RayKind, namespace: string, name: string): string {
  return `/apis/ray.io/v1/namespaces/${encodeURIComponent(namespace)}/${PLURALS[kind]}/${encodeURIComponent(name)}`;
}

/** Sets or clears `spec.suspend`. */
export async function setSuspend(kind: RayKind, namespace: string, name: string, suspend: boolean): Promise<void> {
  await send(rayPath(kind, namespace, name), {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ spec: { suspend } }),
  });
}

export async function remove(kind: RayKind, namespace: string, name: string): Promise<void> {
  await send(rayPath(kind, namespace, name), { method: 'DELETE' });
}
