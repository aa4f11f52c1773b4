import { messageOf } from '@manta/base';
import { type FailedCall, TransportError } from '../api-error.ts';
import type { ListMeta, ListStream } from './client.ts';
import { ListItemSplitter } from '../bytes/list-items.ts';
import type { Parse } from '../bytes/unmanaged.ts';
import type { TransportResponse } from '../transport/transport.ts';

/** A list read item by item. Nothing is asked of the server before the iteration begins; it can be iterated once. */
export class ListItems<T> implements ListStream<T> {
  readonly metadata: Promise<ListMeta>;
  readonly #parse: Parse;
  readonly #open: () => Promise<TransportResponse>;
  readonly #call: FailedCall;
  readonly #resolve: (metadata: ListMeta) => void;
  readonly #reject: (reason: unknown) => void;

  constructor(call: FailedCall, parse: Parse, open: () => Promise<TransportResponse>) {
    const { promise, resolve, reject } = Promise.withResolvers<ListMeta>();
    // The iteration rejects with the same error: unused metadata must not cause an unhandled rejection.
    promise.catch(() => undefined);
    this.metadata = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#parse = parse;
    this.#open = open;
    this.#call = call;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    try {
      const response = await this.#open();
      const splitter = new ListItemSplitter(this.#parse);
      for await (const chunk of response.body) yield* this.#decoded(() => splitter.push(chunk));
      this.#resolve(metadataOf(this.#decoded(() => splitter.end())));
    } catch (error) {
      this.#reject(error);
      throw error;
    } finally {
      this.#reject(new TransportError('The list was not read to its end', { call: this.#call }));
    }
  }

  /** Everything that leaves here was made by `JSON.parse` of one item; `T` is the caller's word for it. */
  #decoded(decode: () => unknown): ReturnType<JSON['parse']> {
    try {
      return decode();
    } catch (error) {
      const { method, path } = this.#call;
      const why = messageOf(error);
      throw new TransportError(`The answer to ${method} ${path} is not a list: ${why}`, {
        cause: error,
        call: this.#call,
      });
    }
  }
}

function metadataOf(envelope: unknown): ListMeta {
  if (typeof envelope !== 'object' || envelope === null || !('metadata' in envelope)) return {};
  return typeof envelope.metadata === 'object' && envelope.metadata !== null ? envelope.metadata : {};
}
