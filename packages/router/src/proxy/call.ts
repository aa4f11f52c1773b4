import type { Readable, Writable } from 'node:stream';
import type { MatchableRequest } from './match.ts';

/** Names and values in turn, as they came over the wire: nothing is lost, joined or reordered. */
export type RawHeaders = readonly string[];

/** One request of a client, whichever version of HTTP it came by. */
export interface Call extends MatchableRequest {
  /** What the client calls us: the Host header or the :authority. */
  readonly host: string;
  readonly headers: RawHeaders;
  readonly body: Readable;
  readonly hasBody: boolean;
  readonly isHttp2: boolean;
  readonly remoteAddress: string;
  /** Why the request is refused without a look at routes; undefined for a sound one. */
  readonly refusal: Refusal | undefined;
  /** True once the client has left or has its whole answer. */
  isOver(): boolean;
  /** Calls `run` when the client leaves before its answer is complete. */
  onGone(run: () => void): void;
  /** Begins the response. If it is `complete` it has no body; else the body is written to the returned sink, and {@link end} ends it. */
  answer(head: AnswerHead): Writable | undefined;
  /** Ends an answer that has a body. */
  end(trailers: RawHeaders): void;
  /** Breaks off an answer that has begun, in a way that the client notices. */
  cut(): void;
}

/** An answer of our own. */
export interface Refusal {
  readonly status: number;
  readonly why: string;
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly isComplete: boolean;
}

/** What an endpoint answered. */
export interface Reply {
  readonly status: number;
  readonly headers: RawHeaders;
  /** True if the response has only headers, as gRPC errors do. */
  readonly isComplete: boolean;
  /** Sends the body on, or forgets it where there is no sink; `done` hears once whether it was whole. */
  copyTo(sink: Writable | undefined, done: (isWhole: boolean) => void): void;
  /** Known once the body has ended. */
  trailers(): RawHeaders;
}

/** The request to an endpoint. */
export interface Outgoing {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly headers: RawHeaders;
  readonly body: Readable;
  readonly hasBody: boolean;
}

/** How an attempt to have a request answered went. */
export type Attempt =
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** There was no connection or the endpoint refused to look: it has certainly not acted on the request. */
  | { readonly kind: 'unreached'; readonly why: string }
  /** The request was sent without a response: the endpoint may have acted on it. */
  | {
      readonly kind: 'broken';
      readonly why: string;
      /** The connection had been idle before: it may have been closed while the request was on its way, which says nothing of the endpoint. */
      readonly wasReused: boolean;
    }
  /** The endpoint took longer than it may. */
  | { readonly kind: 'late' };

/** How long things may take; undefined is as long as they like. */
export interface AttemptLimits {
  readonly connectMs: number;
  readonly answerMs: number | undefined;
}
