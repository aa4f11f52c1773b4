import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startStep, StartTimeout } from './start-step.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('startStep()', () => {
  it('passes the outcome of a step on', async () => {
    expect(await startStep('counting', 1000, Promise.resolve(3))).toBe(3);
    await expect(startStep('counting', 1000, Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('names a step that does not end', async () => {
    const outcome = startStep('starting the API', 60_000, new Promise(() => undefined)).catch(
      (error: unknown) => error,
    );
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await outcome).toBeInstanceOf(StartTimeout);
    expect(await outcome).toMatchObject({
      message: expect.stringMatching(/^starting the API has not finished within 60 s/),
    });
  });
});
