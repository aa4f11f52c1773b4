import type { Clock } from '@manta/kube';
import type { Attempt, AttemptLimits, Outgoing } from './call.ts';
import type { Dial } from './dial.ts';
import { headerOf } from './headers.ts';
import { createHttp1Upstream, type Http1Upstream } from './http1-upstream.ts';
import { createHttp2Upstream, type Http2Upstream } from './http2-upstream.ts';
import type { Address } from './route-table.ts';

/** How long an endpoint that could not be reached is left alone: doubling from the first to the last. */
const REST_MS = { first: 500, last: 10_000 } as const;

/** One place where requests are answered: its connections, how busy it is, and whether it can be reached. */
export class Endpoint {
  readonly address: Address;
  readonly #clock: Clock;
  readonly #dial: Dial | undefined;
  #http1: Http1Upstream | undefined;
  #http2: Http2Upstream | undefined;
  #outstanding = 0;
  #failures = 0;
  #restsUntil = 0;
  #isDraining = false;

  /** Connections are opened by `dial` where there is one. */
  constructor(address: Address, clock: Clock, dial?: Dial) {
    this.address = address;
    this.#clock = clock;
    this.#dial = dial;
  }

  /** Requests that have begun and not ended. */
  get outstanding(): number {
    return this.#outstanding;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** False for a moment after it could not be reached. */
  isUp(): boolean {
    return this.#failures === 0 || this.#clock.now() >= this.#restsUntil;
  }

  /** When it may be tried again, for choosing among those that rest. */
  get restsUntil(): number {
    return this.#restsUntil;
  }

  /** Counts a request as under way until the returned function is called. */
  begin(): () => void {
    this.#outstanding += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#outstanding -= 1;
    };
  }

  /** Sends a request; `report` is called once unless the returned function breaks the attempt off before. */
  send(outgoing: Outgoing, limits: AttemptLimits, report: (attempt: Attempt) => void): () => void {
    return this.#upstream(outgoing).send(outgoing, limits, (attempt) => {
      if (attempt.kind === 'unreached') this.wasUnreachable();
      else this.#failures = 0;
      report(attempt);
    });
  }

  /** Takes it out of the choice for a moment. */
  wasUnreachable(): void {
    this.#failures += 1;
    const restMs = Math.min(REST_MS.first * 2 ** (this.#failures - 1), REST_MS.last);
    this.#restsUntil = this.#clock.now() + restMs;
  }

  /** No new requests come; connections end with those that are under way. */
  drain(): void {
    this.#isDraining = true;
    this.#http1?.drain();
    this.#http2?.drain();
  }

  #upstream({ headers }: Outgoing): Http1Upstream | Http2Upstream {
    const { host, port, protocol } = this.address;
    const isGrpc = headerOf(headers, 'content-type')?.startsWith('application/grpc') === true;
    if (protocol === 'http2' || (protocol === 'auto' && isGrpc)) {
      this.#http2 ??= createHttp2Upstream(host, port, this.#clock, this.#dial);
      return this.#http2;
    }
    this.#http1 ??= createHttp1Upstream(host, port, this.#clock, this.#dial);
    return this.#http1;
  }
}
