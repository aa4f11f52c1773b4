import type { Writable } from 'node:stream';
import type { Clock } from '@manta/kube';
import type { Attempt, AttemptLimits, Outgoing, RawHeaders, Reply } from './call.ts';
import type { Exchange, Http1Connection } from './http1-connection.ts';
import { requestHead } from './http1-head.ts';
import { RequestBody } from './request-body.ts';

/** One request until its answer has ended. Nothing is read of the body before there is a connection, so that it can go elsewhere. */
export class Http1Attempt implements Exchange, Reply {
  status = 0;
  headers: RawHeaders = [];
  readonly isComplete = false;
  readonly #outgoing: Outgoing;
  readonly #limits: AttemptLimits;
  readonly #clock: Clock;
  #report: ((attempt: Attempt) => void) | undefined;
  #connection: Http1Connection | undefined;
  #body: RequestBody | undefined;
  #giveUp: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  #wasReused = false;
  #sink: Writable | undefined;
  #done: ((isWhole: boolean) => void) | undefined;
  #trailers: RawHeaders = [];

  constructor(outgoing: Outgoing, limits: AttemptLimits, clock: Clock, report: (attempt: Attempt) => void) {
    this.#outgoing = outgoing;
    this.#limits = limits;
    this.#clock = clock;
    this.#report = report;
  }

  /** The caller no longer waits for it. */
  get isOver(): boolean {
    return this.#report === undefined;
  }

  /** Breaks the attempt off where there is no connection in time; `giveUp` ends the search for one. */
  waitForConnection(giveUp: () => void): void {
    const { connectMs } = this.#limits;
    this.#giveUp = giveUp;
    this.#cancelTimer = this.#clock.setTimer(connectMs, () => {
      this.#settle({ kind: 'unreached', why: `no connection within ${connectMs} ms` });
      giveUp();
    });
  }

  /** Sends the request over a connection that is there. */
  sendOn(connection: Http1Connection, wasReused: boolean): void {
    this.#cancelTimer?.();
    this.#giveUp = undefined;
    const { method, body, hasBody } = this.#outgoing;
    const head = this.isOver ? undefined : requestHead(this.#outgoing);
    if (head === undefined) {
      connection.destroy();
      this.#settle({ kind: 'broken', why: 'the request cannot be written as HTTP/1.1', wasReused: false });
      return;
    }
    this.#connection = connection;
    this.#wasReused = wasReused;
    const { answerMs } = this.#limits;
    if (answerMs !== undefined) this.#cancelTimer = this.#clock.setTimer(answerMs, () => this.#isLate());
    connection.begin(method, head.text, this, hasBody);
    if (hasBody) this.#body = new RequestBody(body, connection, head.isChunked);
  }

  readonly cancel = (): void => {
    this.#cancelTimer?.();
    this.#report = undefined;
    this.#done = undefined;
    this.#giveUp?.();
    this.#body?.stop();
    this.#connection?.destroy();
    this.#connection = undefined;
  };

  head(status: number, headers: string[]): void {
    this.status = status;
    this.headers = headers;
    this.#settle({ kind: 'reply', reply: this });
  }

  copyTo(sink: Writable | undefined, done: (isWhole: boolean) => void): void {
    this.#sink = sink;
    this.#done = done;
  }

  chunk(bytes: Buffer): void {
    if (this.#sink === undefined || this.#sink.write(bytes)) return;
    const stream = this.#connection?.stream;
    if (stream === undefined || stream.isPaused()) return;
    stream.pause();
    this.#sink.once('drain', () => stream.resume());
  }

  end(trailers: string[]): void {
    this.#trailers = trailers;
    this.#finish(true);
  }

  trailers(): RawHeaders {
    return this.#trailers;
  }

  lost(why: string): void {
    if (this.#connection === undefined) this.#settle({ kind: 'unreached', why });
    else this.#settle({ kind: 'broken', why, wasReused: this.#wasReused });
    this.#finish(false);
  }

  #isLate(): void {
    this.#settle({ kind: 'late' });
    this.#body?.stop();
    this.#connection?.destroy();
  }

  #finish(isWhole: boolean): void {
    const done = this.#done;
    this.#done = undefined;
    this.#body?.stop();
    // What waits for room may wait on, but the next answer must not.
    this.#connection?.stream.resume();
    this.#connection = undefined;
    done?.(isWhole);
  }

  #settle(attempt: Attempt): void {
    this.#cancelTimer?.();
    const report = this.#report;
    this.#report = undefined;
    report?.(attempt);
  }
}
