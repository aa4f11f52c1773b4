import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HttpRequest, HttpResponse } from './http-request.ts';

/** A connection whose client wants to speak something else than HTTP on it. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client has already sent after its request. */
  readonly head: Buffer;
}

const upgrades = new WeakMap<HttpRequest, Upgrade & { readonly response: ServerResponse }>();

/** An answer for a request that asks for an upgrade; it is used when the request is refused. */
export function upgradeResponse(request: IncomingMessage, socket: Duplex, head: Buffer): HttpResponse {
  const response = new ServerResponse(request);
  // A TLS socket in truth, which HTTP/1.1 treats as any other.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  response.assignSocket(socket as Socket);
  response.shouldKeepAlive = false;
  response.once('finish', () => socket.end());
  upgrades.set(request, { request, socket, head, response });
  return response;
}

/** Takes the connection away from HTTP; undefined when its client did not ask for that. */
export function takeUpgrade(request: HttpRequest): Upgrade | undefined {
  const found = upgrades.get(request);
  if (found === undefined) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  found.response.detachSocket(found.socket as Socket);
  upgrades.delete(request);
  return found;
}

/** What the client wants to speak, in its own words. */
export function wantsUpgrade(request: HttpRequest): string | undefined {
  return upgrades.has(request) ? request.headers.upgrade : undefined;
}
