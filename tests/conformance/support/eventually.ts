import { setTimeout as pause } from 'node:timers/promises';

const patienceMs = 30_000;
const stepMs = 25;

/** Asks again and again until the answer is not undefined; throws with what it waited for when patience ends. */
export async function eventually<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`waited ${patienceMs / 1000} s in vain for: ${what}`);
    await pause(stepMs);
  }
}

/** Runs assertions again and again until they hold; throws the last failure when patience ends. */
export async function eventuallyHolds(assertions: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await assertions();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await pause(stepMs);
  }
}
