import { describe, expect, it } from 'vitest';
import { gcsFtDeletionTimeoutSeconds, initializingTimeout, upgradeProgressDeadline } from './timeout-annotations.ts';

const timeout = (value: string) => initializingTimeout({ 'ray.io/initializing-timeout': value });
const name = 'annotation ray.io/initializing-timeout';

describe('the initializing timeout of a RayService', () => {
  it.each([
    ['5m', 300],
    ['1h', 3600],
    ['600', 600],
    ['1.5s', 1.5],
  ])('%s is %d seconds', (text, seconds) => {
    expect(timeout(text)).toEqual({ ok: true, value: BigInt(seconds * 1e9) });
  });

  it('is no limit where it is absent or empty', () => {
    expect(initializingTimeout(undefined)).toEqual({ ok: true, value: undefined });
    expect(initializingTimeout({})).toEqual({ ok: true, value: undefined });
    expect(timeout('')).toEqual({ ok: true, value: undefined });
  });

  it.each([
    ['0', `${name} must be a positive duration, got: 0`],
    ['-5m', `${name} must be a positive duration, got: -5m`],
    ['-100', `${name} must be a positive integer (seconds), got: -100`],
    [
      'invalid',
      `${name} has invalid format: invalid. Expected Go duration format (e.g., '5m', '1h') or positive integer seconds`,
    ],
  ])('%s is refused', (text, error) => {
    expect(timeout(text)).toEqual({ ok: false, error });
  });
});

describe('the time that an upgrade of a RayService may go without progress', () => {
  it('is read like the other, from its own annotation', () => {
    const key = 'ray.io/upgrade-progress-deadline';
    expect(upgradeProgressDeadline({ [key]: '10m' })).toEqual({ ok: true, value: 600_000_000_000n });
    expect(upgradeProgressDeadline({})).toEqual({ ok: true, value: undefined });
    expect(upgradeProgressDeadline({ [key]: '-1s' })).toEqual({
      ok: false,
      error: `annotation ${key} must be a positive duration, got: -1s`,
    });
  });
});

describe('the time that a deleted RayCluster waits for its Redis cleanup', () => {
  it.each([
    ['60', 60],
    ['0', 300],
    ['-1', 300],
    ['5m', 300],
    ['', 300],
  ])('is with annotation %j %d seconds', (text, seconds) => {
    expect(gcsFtDeletionTimeoutSeconds({ 'ray.io/gcs-ft-deletion-timeout': text })).toBe(seconds);
  });

  it('is five minutes without annotation', () => {
    expect(gcsFtDeletionTimeoutSeconds(undefined)).toBe(300);
  });
});
