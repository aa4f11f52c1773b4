/** A step of the start that did not end in time. What it has begun cannot be undone: the process has to end. */
export class StartTimeout extends Error {
  override readonly name = 'StartTimeout';
}

/** Waits for a step of the start; rejects with a `StartTimeout` that names the step if it takes longer than its limit. */
export async function startStep<T>(what: string, limitMs: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      reject(new StartTimeout(`${what} has not finished within ${limitMs / 1000} s; try again on a less busy machine`)),
    limitMs,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
