import { resources } from '@manta/kube';
import { createMetricsRegistry, silentLogger } from '@manta/runtime';
import { FakeClient, FakeClock, seededRandom } from '@manta/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { secretOf } from '../testing/objects.ts';
import { CertificateWatches } from './certificate-watches.ts';

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

async function setUp(limit = 10) {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  let news = 0;
  const warnings: unknown[] = [];
  const log = {
    ...silentLogger,
    named: () => ({ ...silentLogger, warn: (...said: unknown[]) => warnings.push(said) }),
  };
  const world = { clock, client, random: seededRandom(1), log, metrics: createMetricsRegistry() };
  const watches = new CertificateWatches(world, () => void (news += 1), limit);
  const stop = new AbortController();
  stops.push(stop);
  const ended = watches.run(stop.signal);
  for (const name of ['a', 'b', 'c']) await client.create(resources.secrets, secretOf(name, { cert: name, key: 'k' }));
  const want = async (...names: readonly string[]) => {
    watches.want(names.map((name) => ({ namespace: 'default', name })));
    await clock.settle();
  };
  const asked = () => client.requests.flatMap(({ verb, options }) => (verb === 'watch' ? [options.fieldSelector] : []));
  return { clock, client, watches, want, asked, stop, ended, warnings, news: () => news };
}

describe('certificate watches', () => {
  it('ask for each named Secret by name and type, once', async () => {
    const { watches, want, asked } = await setUp();
    await want('a');
    await want('a', 'b');
    expect(asked()).toEqual(['metadata.name=a,type=kubernetes.io/tls', 'metadata.name=b,type=kubernetes.io/tls']);
    expect(watches.lookup('default', 'a')).toEqual({ kind: 'found', record: { cert: 'a', key: 'k' } });
    expect(watches.lookup('default', 'c')).toMatchObject({ kind: 'unreadable' });
  });

  it('follow a Secret that changes, is deleted and is created', async () => {
    const { watches, want, client, clock } = await setUp();
    await want('a', 'later');
    expect(watches.lookup('default', 'later')).toEqual({ kind: 'absent' });
    await client.create(resources.secrets, secretOf('later', { cert: 'l', key: 'k' }));
    await client.delete(resources.secrets, { namespace: 'default', name: 'a' });
    await clock.settle();
    expect(watches.lookup('default', 'later')).toMatchObject({ kind: 'found' });
    expect(watches.lookup('default', 'a')).toEqual({ kind: 'absent' });
  });

  it('forget a Secret that is no longer named, and report none of its changes', async () => {
    const { watches, want, client, clock, news } = await setUp();
    await want('a');
    await want();
    expect(watches.lookup('default', 'a')).toMatchObject({ kind: 'unreadable' });
    const before = news();
    await client.delete(resources.secrets, { namespace: 'default', name: 'a' });
    await clock.settle();
    expect(news()).toBe(before);
  });

  it('watch no more Secrets than the limit allows, warn once, and make room again', async () => {
    const { watches, want, asked, warnings } = await setUp(2);
    await want('a', 'b', 'c');
    expect(asked()).toHaveLength(2);
    expect(watches.lookup('default', 'c')).toEqual({
      kind: 'unreadable',
      why: 'the router watches at most 2 Secrets and listeners name 3; share certificates between listeners, or run a router for each set of namespaces (--namespaces)',
    });
    await want('a', 'b', 'c', 'd');
    expect(warnings).toHaveLength(1);
    await want('b', 'c');
    expect(watches.lookup('default', 'c')).toMatchObject({ kind: 'found' });
  });

  it('are settled once the API server has answered for each, also with a refusal', async () => {
    const { watches, want, client, clock } = await setUp();
    client.forbid(resources.secrets);
    watches.want([{ namespace: 'default', name: 'a' }]);
    expect(watches.isSettled()).toBe(false);
    await clock.settle();
    expect(watches.isSettled()).toBe(true);
    const { kind, ...rest } = watches.lookup('default', 'a');
    expect(kind).toBe('unreadable');
    expect(JSON.stringify(rest)).toContain('the router cannot see Secrets: Secret in namespace default: forbidden');
    client.allow(resources.secrets);
    await clock.advance(60_000);
    await want('a');
    expect(watches.lookup('default', 'a')).toMatchObject({ kind: 'found' });
  });

  it('end with their signal', async () => {
    const { want, stop, ended, asked } = await setUp();
    await want('a', 'b');
    stop.abort();
    await ended;
    await want('c');
    expect(asked()).toHaveLength(2);
  });
});
