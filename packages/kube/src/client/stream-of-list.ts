import type { KubeObject } from '@manta/api';
import type { KubeList, ListStream } from './client.ts';

/** A list that arrives at once, as a stream. A failure rejects `metadata` and the iteration; a caller needs to handle only one of them. */
export function streamOfList<T extends KubeObject>(list: Promise<KubeList<T>>, signal?: AbortSignal): ListStream<T> {
  const metadata = list.then((page) => page.metadata);
  metadata.catch(() => undefined);
  return {
    metadata,
    async *[Symbol.asyncIterator]() {
      for (const item of (await list).items) {
        signal?.throwIfAborted();
        yield item;
      }
    },
  };
}
