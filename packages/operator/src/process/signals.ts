/** Aborts on SIGTERM and SIGINT, or on other signals; a second signal ends the process at once. */
export function stopSignal(
  onSignal?: (name: string) => void,
  names: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'],
): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const handle = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(1);
    onSignal?.(name);
    controller.abort(new Error(`received ${name}`));
  };
  for (const name of names) process.on(name, handle);
  return {
    signal: controller.signal,
    dispose() {
      for (const name of names) process.off(name, handle);
    },
  };
}
