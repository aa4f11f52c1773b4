import { ApiError, TransportError } from '@manta/kube';
import { createMetricsRegistry, silentLogger } from '@manta/runtime';
import { FakeClient, FakeClock } from '@manta/runtime/testing';
import { describe, expect, it } from 'vitest';
import { createFirstContact } from './first-contact.ts';

const SERVER = new URL('https://10.0.0.1:6443');
const call = { method: 'GET', path: '/version' };
const coded = (code: string) => Object.assign(new Error(code), { code });

/** An API server that fails in this way for the first so many attempts. */
function setUp(failures: number, error: () => Error) {
  const clock = new FakeClock();
  const timeouts: unknown[] = [];
  const getPath = async (path: string, options: { readonly timeoutMs?: number } = {}) => {
    if (path === '/version') timeouts.push(options.timeoutMs);
    if (timeouts.length <= failures) throw error();
    return path === '/version' ? { gitVersion: 'v1.36.1' } : { groups: [] };
  };
  const client = Object.assign(new FakeClient({ clock }), { getPath });
  const world = { clock, client, random: () => 0, log: silentLogger, metrics: createMetricsRegistry() };
  const stop = new AbortController();
  const contact = createFirstContact(world, SERVER);
  const facts = contact.facts(stop.signal);
  facts.catch(() => undefined);
  return { clock, contact, facts, stop, timeouts };
}

describe('the first contact with the API server', () => {
  const temporary: Readonly<Record<string, () => Error>> = {
    'takes too long': () => new TransportError('10.0.0.1:6443 did not answer GET /version within 4 s', { call }),
    'refuses connections': () => new TransportError('Nothing answers', { cause: coded('ECONNREFUSED') }),
    'has no name yet': () => new TransportError('unknown', { cause: coded('EAI_AGAIN') }),
    'is overloaded': () => new ApiError(call, 429, 'too many requests'),
    'is starting': () => new ApiError(call, 503, 'not yet'),
  };
  it.each(Object.entries(temporary))('is retried while the API server %s', async (_, error) => {
    const { clock, contact, facts, timeouts } = setUp(6, error);
    await clock.settle();
    expect(contact.check()).toMatchObject({ isOk: false, reason: expect.stringContaining('10.0.0.1:6443') });
    await clock.advance(60_000);
    expect((await facts)?.gitVersion).toBe('v1.36.1');
    expect(contact.check()).toEqual({ isOk: true });
    // A slow server is given more time with each attempt.
    expect(timeouts).toEqual([4_000, 8_000, 16_000, 32_000, 32_000, 32_000, 32_000]);
  });

  const definite: Readonly<Record<string, () => Error>> = {
    'does not know us': () => new ApiError(call, 401, 'Unauthorized'),
    'does not allow us anything': () => new ApiError(call, 403, 'forbidden'),
    'has a certificate of somebody else': () =>
      new TransportError('not signed by', { cause: coded('DEPTH_ZERO_SELF_SIGNED_CERT') }),
    'is no API server': () => new TransportError('The answer to GET /version is not JSON'),
    'is behind a proxy that refuses': () => new TransportError('the proxy answered 403', { cause: new Error('403') }),
  };
  it.each(Object.entries(definite))('ends the start when the server %s', async (_, error) => {
    const { clock, facts, timeouts } = setUp(1, error);
    await clock.settle();
    await expect(facts).rejects.toMatchObject({ name: 'StartError', message: expect.stringContaining('10.0.0.1') });
    expect(timeouts).toHaveLength(1);
  });

  it('is given up when the operator is stopped', async () => {
    const { clock, facts, stop } = setUp(100, () => new ApiError(call, 503, 'not yet'));
    await clock.advance(10_000);
    stop.abort();
    await clock.settle();
    expect(await facts).toBeUndefined();
  });
});
