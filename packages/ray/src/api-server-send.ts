import type { RaySend } from './transport.ts';

/** As much of a transport to the API server as is needed here. */
export interface ApiServerTransport {
  send(request: {
    readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal: AbortSignal;
  }): Promise<{
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: AsyncIterable<Uint8Array>;
  }>;
}

/**
 * The transport for heads that only the API server can reach: a head's `url` is then a path on the API server, such as
 * `/api/v1/namespaces/ns/services/x-head-svc:dashboard/proxy`. The API server's own credentials are the transport's affair.
 */
export function sendThroughApiServerProxy(transport: ApiServerTransport): RaySend {
  return async ({ method, url, headers, body, signal }) =>
    await transport.send({ method, path: url, headers, signal, ...(body !== undefined && { body }) });
}
