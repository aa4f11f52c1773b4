import { guard, guardConnection } from '@manta/base';
import { type IncomingMessage, request as httpRequest, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@manta/kube';
import { chooseEndpoint } from './choose-endpoint.ts';
import { type Dial, DialingAgent } from './dial.ts';
import type { Endpoint } from './endpoint.ts';
import { answerOf, filterRequest, filterResponse } from './filters.ts';
import type { ForwardContext } from './forward.ts';
import { setForwarded } from './forwarded.ts';
import { KEEP_ALIVE_MS } from './keep-alive.ts';
import { endToEnd, headerOf, isEncrypted, joinedHeader, plainAddress, removeHeader } from './headers.ts';
import { readTarget } from './request-target.ts';
import type { Filter } from './route-table.ts';
import type { StallSweep } from './stall-sweep.ts';

/**
 * Is this request the opening of a WebSocket? Other upgrades are answered as if they had not asked. A WebSocket opens with a GET without a
 * body: a backend would take what the client says later for the body.
 */
export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  if (headers.upgrade?.toLowerCase() !== 'websocket' || method !== 'GET') return false;
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

/** Opens a WebSocket at a backend and joins it with the client's connection until one of them ends. */
export function tunnel(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  context: ForwardContext,
  line: Line,
): void {
  new Tunnel(request, socket, head, context, line).open('');
}

/** How a backend is reached, and how long that has taken. */
interface Line {
  readonly clock: Clock;
  readonly dial: Dial | undefined;
  /** Cuts a backend that does not read. */
  readonly sweep: StallSweep;
}

class Tunnel {
  readonly #request: IncomingMessage;
  readonly #socket: Duplex;
  readonly #head: Buffer;
  readonly #context: ForwardContext;
  readonly #line: Line;
  readonly #tried = new Set<Endpoint>();
  #filters: readonly Filter[] = [];

  constructor(request: IncomingMessage, socket: Duplex, head: Buffer, context: ForwardContext, line: Line) {
    this.#request = request;
    this.#socket = socket;
    this.#head = head;
    this.#context = context;
    this.#line = line;
    socket.on('error', () => socket.destroy());
  }

  open(why: string): void {
    const { rawHeaders, method = 'GET', url = '' } = this.#request;
    const { target, host, refusal } = readTarget(method, url, rawHeaders);
    if (refusal !== undefined) return this.#refuse(refusal.status, refusal.why);
    const isSecure = isEncrypted(this.#request.socket);
    const header = (name: string) => joinedHeader(rawHeaders, name);
    const found = this.#context.find(host, { method, target, isSecure, header });
    if (found.kind === 'none') return this.#refuse(found.status ?? 404, found.why);
    const { rule, match } = found;
    const own = answerOf(rule.filters, { target, host, isSecure }, match);
    if (own !== undefined) return this.#refuse(own.status, own.why, own.location);
    const choice = chooseEndpoint(rule, this.#tried, this.#context.random);
    if (choice === undefined) {
      return why === '' ? this.#refuse(503, `${rule.key} has no ready endpoint`) : this.#refuse(502, why);
    }
    const headers = endToEnd(rawHeaders);
    removeHeader(headers, 'host');
    const remoteAddress = plainAddress(this.#request.socket.remoteAddress);
    setForwarded(headers, { host, isSecure, remoteAddress }, this.#context.trust(remoteAddress));
    const rewritten = filterRequest(rule.filters, { target, host }, match, headers);
    this.#filters = rule.filters;
    headers.push('connection', 'Upgrade', 'upgrade', 'websocket');
    this.#tried.add(choice.endpoint);
    this.#dial(choice.endpoint, rewritten.target, ['host', rewritten.host, ...headers], choice.backend.key);
  }

  #dial(endpoint: Endpoint, path: string, headers: string[], backend: string): void {
    const { host, port } = endpoint.address;
    const finished = endpoint.begin();
    const { clock, dial } = this.#line;
    const agent = dial === undefined ? false : new DialingAgent(dial, { keepAlive: false });
    const upstream = httpRequest({ agent, host, port, path, method: this.#request.method ?? 'GET', headers });
    let isConnected = false;
    const cancelTimer = clock.setTimer(this.#context.limits.connectMs, () => {
      if (!isConnected) upstream.destroy(new Error('no connection in time'));
    });
    upstream.once(
      'socket',
      guard('router', upstream, (socket) => {
        socket.setKeepAlive?.(true, KEEP_ALIVE_MS);
        if (!socket.connecting) isConnected = true;
        else socket.once('connect', () => (isConnected = true));
      }),
    );
    const leave = () => upstream.destroy();
    this.#socket.once('close', leave);
    upstream.once('close', guard('router', undefined, cancelTimer));
    upstream.on(
      'error',
      guard('router', upstream, ({ message }) => {
        finished();
        this.#socket.off('close', leave);
        if (this.#socket.destroyed) return;
        if (isConnected) return this.#refuse(502, `${backend} broke off without an answer: ${message}`);
        endpoint.wasUnreachable();
        this.#context.observe.retried(backend, message);
        if (this.#tried.size < this.#context.maxAttempts) this.open(message);
        else this.#refuse(502, `${backend} could not be reached: ${message}`);
      }),
    );
    upstream.once(
      'upgrade',
      guardConnection('router', (response, peer, peerHead) => {
        this.#context.observe.answered(backend, response.statusCode ?? 101);
        peer.once('close', guard('router', undefined, finished));
        this.#join(headLines(response, true, this.#filters), peer, peerHead);
      }),
    );
    upstream.once(
      'response',
      guard('router', upstream, (response) => {
        this.#context.observe.answered(backend, response.statusCode ?? 502);
        response.once('close', guard('router', undefined, finished));
        response.on('error', () => this.#socket.destroy());
        this.#socket.write(headLines(response, false, this.#filters), 'latin1');
        response.pipe(this.#socket, { end: false });
        response.once('end', () => endThenDestroy(this.#socket));
      }),
    );
    upstream.end();
  }

  #join(answer: string, peer: Duplex, peerHead: Buffer): void {
    const socket = this.#socket;
    peer.on('error', () => peer.destroy());
    this.#line.sweep.watch(peer, () => peer.destroy());
    peer.once('close', () => endThenDestroy(socket));
    socket.once('close', () => peer.destroy());
    socket.write(answer, 'latin1');
    if (peerHead.length > 0) socket.write(peerHead);
    if (this.#head.length > 0) peer.write(this.#head);
    peer.pipe(socket);
    socket.pipe(peer);
  }

  #refuse(status: number, why: string, location?: string): void {
    this.#context.observe.answered('', status);
    const text = `${why}\n`;
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
      'content-type: text/plain; charset=utf-8',
      `content-length: ${Buffer.byteLength(text)}`,
      'connection: close',
      ...(location === undefined ? [] : [`location: ${location}`]),
    ];
    this.#socket.write(`${lines.join('\r\n')}\r\n\r\n${text}`);
    endThenDestroy(this.#socket);
  }
}

/** Ends a connection once all that was written has been sent, and does not wait for the other side to end it too. */
function endThenDestroy(socket: Duplex): void {
  if (socket.writableFinished) socket.destroy();
  else socket.end(() => socket.destroy());
}

/** A response head for the client. One that is no upgrade ends with its connection, which saves framing the body again. */
function headLines(response: IncomingMessage, isUpgrade: boolean, filters: readonly Filter[]): string {
  const { statusCode = 502, statusMessage = '', rawHeaders } = response;
  const upgrade = headerOf(rawHeaders, 'upgrade') ?? 'websocket';
  const kept = endToEnd(rawHeaders);
  filterResponse(filters, kept);
  kept.push(...(isUpgrade ? ['connection', 'Upgrade', 'upgrade', upgrade] : ['connection', 'close']));
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let i = 0; i + 1 < kept.length; i += 2) lines.push(`${kept[i]}: ${kept[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
