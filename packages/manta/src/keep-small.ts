/** What V8 can be asked for while it runs, so that the operator's memory follows what it keeps; docs/decisions/0003-memory.md has the figures. */
const FLAGS = [
  '--no-parallel-scavenge',
  '--no-parallel-compaction',
  '--invocation-count-for-maglev=1500',
  '--invocation-count-for-turbofan=24000',
] as const;

/**
 * While the caches are filled, garbage comes faster than marking step by step can follow, and the heap is half again as large when it
 * has ended. All at once it takes 15 ms, which nobody waits for yet.
 */
const START_MS = 10_000;

/** To be called first. A Node whose V8 no longer knows one of these goes on without it, which it would not on the command line. */
export function keepSmall(): void {
  const v8 = process.getBuiltinModule('node:v8');
  for (const flag of FLAGS) v8.setFlagsFromString(flag);
  v8.setFlagsFromString('--no-incremental-marking');
  setTimeout(() => v8.setFlagsFromString('--incremental-marking'), START_MS).unref();
}
