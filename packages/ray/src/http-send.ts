import { guard, RAY_LIMITS } from '@manta/base';
import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { KeepingAgent } from './keeping-agent.ts';
import { openTunnel, proxyAddress, proxyAuthorization } from './proxy-tunnel.ts';
import type { RayRequest, RayResponse, RaySend } from './transport.ts';

/** How requests leave this machine. */
export interface HttpSendOptions {
  /** The HTTP proxy through which a URL is to be reached, if any; asked for each request. */
  readonly proxyFor?: ((url: URL) => URL | undefined) | undefined;
  /** How many connections may be kept for the next question, 512 over all heads when not given. */
  readonly maxIdle?: number | undefined;
  /** How certificates of heads behind HTTPS are checked; absent: against the machine's own roots. */
  readonly tls?: { readonly ca?: string | undefined; readonly rejectUnauthorized?: boolean | undefined } | undefined;
}

/** Sends over HTTP, keeping connections for the next question. */
export interface HttpSend {
  readonly send: RaySend;
  /** Closes the connections that are kept. */
  close(): void;
}

const DEFAULT_MAX_IDLE = RAY_LIMITS.idleConnections;

/** The transport for heads that this machine can reach by name or address, through `HTTP_PROXY` where the resolver says so. */
export function createHttpSend({ proxyFor, maxIdle = DEFAULT_MAX_IDLE, tls = {} }: HttpSendOptions = {}): HttpSend {
  const agent = new KeepingAgent(maxIdle);
  const send: RaySend = async (request) => {
    const url = new URL(request.url);
    const proxy = proxyFor?.(url);
    try {
      return await exchange(await start(request, url, proxy, agent, tls), request);
    } catch (error) {
      // A kept connection may end just when it is used again; what only asks is asked once more, on a new one.
      if (request.method !== 'GET' || request.signal.aborted || !(error instanceof KeptConnectionEnded)) throw error;
      return await exchange(await start(request, url, proxy, undefined, tls), request);
    }
  };
  return { send, close: () => agent.destroy() };
}

class KeptConnectionEnded extends Error {
  override readonly name = 'KeptConnectionEnded';
}

/** Begins the request; only questions use kept connections, so that no command is lost to one that ends. */
async function start(
  request: RayRequest,
  url: URL,
  proxy: URL | undefined,
  kept: Agent | undefined,
  tls: NonNullable<HttpSendOptions['tls']>,
): Promise<ClientRequest> {
  const agent = request.method === 'GET' && kept !== undefined ? kept : false;
  const { method, signal } = request;
  const headers = { host: url.host, ...request.headers };
  if (url.protocol === 'https:') {
    const socket = proxy === undefined ? undefined : await openTunnel(proxy, url, signal);
    return requestHttps(url, {
      ...tls,
      method,
      headers,
      signal,
      ...(socket !== undefined && { socket, agent: false }),
    });
  }
  if (proxy === undefined) return requestHttp(url, { method, headers, signal, agent });
  // A plain request to a proxy names the whole address that it is for.
  const forProxy = { ...headers, ...proxyAuthorization(proxy) };
  return requestHttp({ ...proxyAddress(proxy, url), path: url.href, method, headers: forProxy, signal, agent });
}

function exchange(outgoing: ClientRequest, request: RayRequest): Promise<RayResponse> {
  return new Promise((resolve, reject) => {
    outgoing.on(
      'response',
      guard('call to a Ray head', reject, (response) => resolve(toResponse(response))),
    );
    outgoing.on(
      'error',
      guard('call to a Ray head', outgoing, (error) => {
        const isKept = outgoing.reusedSocket && 'code' in error && /^(ECONNRESET|EPIPE)$/.test(String(error.code));
        reject(isKept ? new KeptConnectionEnded(error.message, { cause: error }) : error);
      }),
    );
    outgoing.end(request.bytes ?? request.body);
  });
}

function toResponse(response: IncomingMessage): RayResponse {
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body: response };
}
