import { guardProcess } from '@manta/base';

/** Ending in order takes as long as its slowest part; after that the process ends anyway, and its lease expires. */
const ORDERLY_MS = 20_000;

/**
 * Aborts after an uncaught exception that belongs to no connection. The state of the controllers is unknown then, so the operator shuts down
 * cleanly, releases its lease, and Kubernetes restarts it. An exception of a known connection ends only that connection.
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
