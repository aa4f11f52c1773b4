import type { FailedCall } from '../api-error.ts';
import type { Clock } from '../clock.ts';
import type { Credentials } from './connection.ts';
import type { RequestObserver, TransportRequest } from './transport.ts';
import { CallGuard } from './call-guard.ts';
import { knownSize } from './request-body.ts';
import { timeoutError } from './retry.ts';

/** One `send` from its start to its last byte, over all attempts: its timeout, and its report to the observer. */
export class Call {
  readonly request: TransportRequest;
  /** Method and full path, as errors name it. */
  readonly name: FailedCall;
  /** `name:port`, for messages. */
  readonly host: string;
  readonly guard: CallGuard;
  /** Those of the latest attempt. */
  credentials: Credentials | undefined;
  readonly #clock: Clock;
  readonly #observer: RequestObserver | undefined;
  readonly #startedAtMs: number;
  #finalStatus: number | undefined;
  #settledBytes: number | undefined;

  constructor(
    request: TransportRequest,
    path: string,
    host: string,
    clock: Clock,
    observer: RequestObserver | undefined,
  ) {
    this.request = request;
    this.name = { method: request.method, path };
    this.host = host;
    this.#clock = clock;
    this.#observer = observer;
    this.#startedAtMs = clock.now();
    const timeout = () => timeoutError(this.name, host, request.timeoutMs);
    this.guard = new CallGuard(clock, request.signal, request.timeoutMs, timeout);
  }

  attemptStarts(): void {
    this.#settledBytes = undefined;
  }

  retrying(code: string): void {
    this.#observer?.requestRetried({ method: this.request.method, host: this.host, code });
  }

  /** The body of the current attempt's answer has ended, whichever way. */
  bodySettled(receivedBytes: number): void {
    this.#settledBytes = receivedBytes;
    this.#endWhenDone();
  }

  /** This response is returned to the caller. */
  answered(status: number): void {
    this.#finalStatus = status;
    if (this.request.kind !== 'unary') {
      this.guard.liftDeadline();
      this.#report(String(status), 0);
    }
    this.#endWhenDone();
  }

  failed(): void {
    this.guard.release();
    this.#report('<error>', 0);
  }

  #endWhenDone(): void {
    if (this.#finalStatus === undefined || this.#settledBytes === undefined) return;
    this.guard.release();
    if (this.request.kind === 'unary') this.#report(String(this.#finalStatus), this.#settledBytes);
  }

  #report(code: string, responseBytes: number): void {
    this.#observer?.requestDone({
      method: this.request.method,
      host: this.host,
      code,
      durationMs: this.#clock.now() - this.#startedAtMs,
      requestBytes: knownSize(this.request.body),
      responseBytes,
    });
  }
}
