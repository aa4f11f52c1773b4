import { guardProcess } from '@manta/base';

/** Ending in order takes as long as its slowest part; after that the process ends anyway, and its lease expires. */
const ORDERLY_MS = 20_000;

/**
 * Aborts when an exception reaches the process that belongs to no connection: nobody knows which controller is half done, so the operator
 * ends in order, releases its lease, and starts afresh in a new process. Exceptions of known connections end those only.
 */
export function stopOnUnknownFailure(): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const remove = guardProcess((error) => {
    if (controller.signal.aborted) return;
    setTimeout(() => process.exit(1), ORDERLY_MS).unref();
    controller.abort(error);
  });
  return { signal: controller.signal, dispose: remove };
}
