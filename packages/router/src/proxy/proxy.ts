import type { Clock } from '@manta/kube';
import type { AttemptLimits, Call, Refusal } from './call.ts';
import { Certificates } from './certificates.ts';
import type { Dial } from './dial.ts';
import { Endpoint } from './endpoint.ts';
import { type Trust, TRUST_NONE } from './forwarded.ts';
import { type ForwardContext, forward, type Observer } from './forward.ts';
import {
  type Admit,
  type ProxyListener,
  type ListenerHandlers,
  type ProxyListenerLimits,
  openListener,
} from './listener.ts';
import { Http1Call } from './http1-call.ts';
import { Http2Call } from './http2-call.ts';
import { type RouteMatch, LiveTable } from './live-table.ts';
import type { MatchableRequest } from './match.ts';
import { refuse } from './refusals.ts';
import { type Address, addressKey, type RouteTable } from './route-table.ts';
import { tunnel } from './tunnel.ts';

/** What a proxy is made of. */
export interface ProxyOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Default: 2 s to connect, no limit for responses. */
  readonly limits?: Partial<AttemptLimits>;
  /** How many endpoints one request may try; default 5. */
  readonly maxAttempts?: number;
  readonly observer?: Observer;
  /** Trusted proxies, whose forwarding headers are kept; default none. */
  readonly trust?: Trust | undefined;
  /** How endpoints are reached, where the system's own network does not lead there. */
  readonly dial?: Dial | undefined;
  /** Timeouts for slow clients; the defaults are `ROUTER_LIMITS`. */
  readonly listenerLimits?: ProxyListenerLimits;
  /** Which connections of clients are served; all unless given. */
  readonly admit?: Admit | undefined;
}

/** Sends requests where its table says. Requests that are under way when the table changes end where they are. */
export interface Proxy {
  /** From now on requests go by this table. Endpoints that it no longer names end what they have and get nothing new. */
  setTable(table: RouteTable): void;
  /** What requests hear before there is a table. */
  setReason(why: string): void;
  /** Serves on an address; resolves with the port that it got. */
  listen(address: { readonly host?: string | undefined; readonly port: number }): Promise<number>;
  /** Requests under way at each endpoint, those that drain included. */
  outstanding(): ReadonlyMap<string, number>;
  /** Takes nothing new and resolves when all that was under way has ended; what has not after `graceMs` is cut. */
  close(graceMs: number): Promise<void>;
}

const LIMITS: AttemptLimits = { connectMs: 2_000, answerMs: undefined };
const MAX_ATTEMPTS = 5;
const SILENT: Observer = { answered: () => undefined, retried: () => undefined };

export function createProxy(options: ProxyOptions): Proxy {
  return new TableProxy(options);
}

class TableProxy implements Proxy {
  readonly #options: ProxyOptions;
  readonly #context: ForwardContext;
  readonly #listeners: ProxyListener[] = [];
  readonly #certificates = new Certificates();
  readonly #draining = new Set<Endpoint>();
  #endpoints = new Map<string, Endpoint>();
  #table: LiveTable | undefined;
  #reason = 'the router is starting';
  #isClosing = false;

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#context = {
      find: (host: string, request: MatchableRequest): RouteMatch =>
        this.#table?.find(host, request) ?? { kind: 'none', why: this.#reason },
      random: options.random,
      limits: { ...LIMITS, ...options.limits },
      maxAttempts: options.maxAttempts ?? MAX_ATTEMPTS,
      observe: options.observer ?? SILENT,
      trust: options.trust ?? TRUST_NONE,
    };
  }

  setTable(table: RouteTable): void {
    const kept = new Map<string, Endpoint>();
    const endpointAt = (address: Address): Endpoint => {
      const key = addressKey(address);
      const endpoint =
        kept.get(key) ?? this.#endpoints.get(key) ?? new Endpoint(address, this.#options.clock, this.#options.dial);
      kept.set(key, endpoint);
      return endpoint;
    };
    this.#table = new LiveTable(table, this.#table, endpointAt);
    this.#certificates.set(table.secure?.certificates ?? []);
    for (const [key, endpoint] of this.#endpoints) if (!kept.has(key)) this.#drain(endpoint);
    this.#endpoints = kept;
    const rules = [...this.#table.rules.values()];
    this.#context.observe.serves?.(new Set(rules.flatMap(({ backends }) => backends.map(({ key }) => key))));
  }

  setReason(why: string): void {
    this.#reason = why;
  }

  async listen(address: { readonly host?: string | undefined; readonly port: number }): Promise<number> {
    const isClosing = () => this.#isClosing;
    const { clock, dial } = this.#options;
    const handlers: ListenerHandlers = {
      request: (request, response) => this.#take(new Http1Call(request, response, isClosing)),
      stream: (stream, headers) => this.#take(new Http2Call(stream, headers)),
      webSocket: (request, socket, head, sweep) => tunnel(request, socket, head, this.#context, { clock, dial, sweep }),
    };
    const { listenerLimits: limits, admit } = this.#options;
    const listener = await openListener(address, handlers, this.#certificates, { limits, admit });
    this.#listeners.push(listener);
    return listener.port;
  }

  outstanding(): ReadonlyMap<string, number> {
    const all = [...this.#endpoints.values(), ...this.#draining];
    return new Map(all.map(({ address, outstanding }) => [addressKey(address), outstanding]));
  }

  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    const cut = new AbortController();
    const cancel = this.#options.clock.setTimer(graceMs, () => cut.abort());
    await Promise.all(this.#listeners.map((listener) => listener.close(cut.signal)));
    cancel();
    for (const endpoint of this.#endpoints.values()) endpoint.drain();
  }

  #take(call: Http1Call | Http2Call): void {
    if (this.#table === undefined) refuse(call, 503, this.#reason, ['retry-after', '1']);
    else if (call.method === 'CONNECT') refuse(call, 405, 'CONNECT is not served here');
    else if (call.refusal !== undefined) this.#refuse(call, call.refusal);
    else forward(call, this.#context);
  }

  #refuse(call: Call, { status, why }: Refusal): void {
    this.#context.observe.answered('', status);
    refuse(call, status, why);
  }

  #drain(endpoint: Endpoint): void {
    endpoint.drain();
    for (const other of this.#draining) if (other.outstanding === 0) this.#draining.delete(other);
    if (endpoint.outstanding > 0) this.#draining.add(endpoint);
  }
}
