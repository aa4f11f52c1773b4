/** Aborts on SIGTERM and SIGINT; a second signal ends the process at once. */
export function stopSignal(onSignal?: (name: string) => void): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const handle = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(1);
    onSignal?.(name);
    controller.abort(new Error(`received ${name}`));
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
  return {
    signal: controller.signal,
    dispose() {
      process.off('SIGTERM', handle);
      process.off('SIGINT', handle);
    },
  };
}
