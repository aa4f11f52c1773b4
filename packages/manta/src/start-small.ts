/** What V8 and Node read once, when they start, so that memory follows what is kept; docs/decisions/0003-memory.md has the figures. */
export const START_FLAGS = [
  '--max-semi-space-size=4',
  '--no-node-snapshot',
  '--initial-old-space-size=16',
  '--heap-growing-percent=15',
  '--no-concurrent-recompilation',
] as const;

/**
 * Starts the program again with these flags, in the same process: one that the kernel starts by its first line, as in the image, gets one
 * flag at most. Flags that it was given besides come last and win. Whoever started it sees nothing of that; with the flags it goes on at once.
 */
export function startSmall(): void {
  const { execPath, execArgv, argv, env } = process;
  if (START_FLAGS.every((flag) => execArgv.includes(flag))) return;
  process.execve?.(execPath, [execPath, ...START_FLAGS, ...execArgv, ...argv.slice(1)], env);
}
