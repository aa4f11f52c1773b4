import { collectBody, type Transport, type TransportRequest } from '../transport/transport.ts';

/** Something inside the cluster that the API server can reach for us. */
export interface ProxyTarget {
  readonly kind: 'services' | 'pods';
  readonly namespace: string;
  readonly name: string;
  /** Number, or a Service's port name. */
  readonly port: number | string;
  readonly scheme?: 'http' | 'https' | undefined;
}

/** `/api/v1/namespaces/ns/services/head-svc:8265/proxy` followed by `path`, which begins with a slash. */
export function proxyPath({ kind, namespace, name, port, scheme }: ProxyTarget, path: string): string {
  const address = `${scheme === 'https' ? 'https:' : ''}${name}:${port}`;
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/${kind}/${address}/proxy${path}`;
}

export interface ProxiedRequest extends Pick<TransportRequest, 'method' | 'path' | 'headers' | 'body' | 'signal'> {
  /** Until the last byte of the answer. */
  readonly timeoutMs?: number | undefined;
}

export interface ProxiedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Sends an HTTP request through the API server to a Service or Pod and reads the whole answer. A status is an answer, whoever gave
 * it: the API server itself answers 503 when it can't reach the target, 403 when it may not.
 */
export async function sendThroughApiServer(
  transport: Transport,
  target: ProxyTarget,
  request: ProxiedRequest,
): Promise<ProxiedResponse> {
  const path = proxyPath(target, request.path);
  const headers = withoutAuthorization(request.headers);
  const response = await transport.send({ ...request, path, headers, kind: 'unary' });
  return { status: response.status, headers: response.headers, body: await collectBody(response.body) };
}

/** Reserved: this header authenticates us to the API server and is not forwarded to the target. */
function withoutAuthorization(headers: TransportRequest['headers'] = {}): NonNullable<TransportRequest['headers']> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'));
}
