/* oxlint-disable typescript/no-unsafe-type-assertion -- tests name the kinds that they put in */
import type { ConfigMap } from '@manta/api';
import { ApiError, type KubeClient, type ResourceType, resources, TransportError, type WatchEvent } from '@manta/kube';
import { FakeClock } from '@manta/runtime/testing';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { type Api, createApi } from '../../api.ts';
import { createInProcessClient } from '../../in-process/in-process-client.ts';
import { createStore } from '../../store/store.ts';
import type { Fault } from './fault.ts';
import { withFaults } from './faulty-client.ts';
import { createReplica, type Replica } from './replica.ts';
import { createSwitchboard, type Switchboard } from './switchboard.ts';

const { configMaps, namespaces } = resources;
const secrets = resources.secrets as ResourceType<ConfigMap>;
const toError = (call: { method: string; path: string }, status: { code?: number; message?: string }) =>
  new ApiError(call, status.code ?? 500, status.message ?? '', { kind: 'Status', ...status });

let clock: FakeClock;
let api: Api;
let board: Switchboard;
let replica: Replica;
let server: KubeClient;
let client: KubeClient;
let dice: number[];

beforeEach(async () => {
  clock = new FakeClock();
  let uids = 0;
  api = createApi({ store: createStore(), world: { clock, newUid: () => `uid-${++uids}`, random: () => 0.5 } });
  server = createInProcessClient(api, { toError });
  dice = [];
  board = createSwitchboard(() => dice.shift() ?? 0.5);
  replica = createReplica(api);
  client = withFaults(server, board, {
    client: 'tester',
    clock,
    replica: createInProcessClient(replica.api, { toError }),
    errors: {
      refused: ({ verb, resource }, status) => toError({ method: verb, path: resource }, status),
      lost: ({ verb, resource }, message, wasNeverSent) =>
        new TransportError(message, { call: { method: verb, path: resource }, wasNeverSent }),
    },
  });
  await server.create(namespaces, { metadata: { name: 'default' } });
});

const make = (name: string, value = '1'): ConfigMap => ({
  metadata: { name, namespace: 'default' },
  data: { value: Buffer.from(value).toString('base64') },
});
const names = async (from: KubeClient = server) =>
  (await from.list(configMaps, { namespace: 'default' })).items.map(({ metadata }) => metadata?.name);
const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => error,
  );

describe('requests', () => {
  test('pass unharmed while nothing is switched on', async () => {
    expect((await client.create(configMaps, make('a'))).metadata?.name).toBe('a');
    expect(await names(client)).toEqual(['a']);
  });

  const faults: Readonly<Record<string, { fault: Fault; error: object; isApplied: boolean }>> = {
    'a refused connection: nothing done, and the caller knows': {
      fault: { kind: 'lose', what: 'unsent' },
      error: { name: 'TransportError', wasNeverSent: true },
      isApplied: false,
    },
    'a request lost on the way there: nothing done, and the caller cannot know': {
      fault: { kind: 'lose', what: 'request' },
      error: { name: 'TransportError', wasNeverSent: false },
      isApplied: false,
    },
    'an answer lost on the way back: done, and the caller cannot know': {
      fault: { kind: 'lose', what: 'answer' },
      error: { name: 'TransportError', wasNeverSent: false },
      isApplied: true,
    },
    'a conflict': {
      fault: { kind: 'refuse', code: 409 },
      error: { name: 'ApiError', code: 409, reason: 'Conflict' },
      isApplied: false,
    },
    'too many requests, with the time to wait': {
      fault: { kind: 'refuse', code: 429, retryAfterSeconds: 3 },
      error: { name: 'ApiError', code: 429, reason: 'TooManyRequests', retryAfterMs: 3000 },
      isApplied: false,
    },
    'a server that fails': {
      fault: { kind: 'refuse', code: 500 },
      error: { name: 'ApiError', code: 500, reason: 'InternalError' },
      isApplied: false,
    },
  };
  it.each(Object.entries(faults))('can meet %s', async (_, { fault, error, isApplied }) => {
    board.add({ when: { verbs: ['create'], clients: ['tester'] }, fault });
    expect(await outcome(client.create(configMaps, make('a')))).toMatchObject(error);
    expect(await names()).toEqual(isApplied ? ['a'] : []);
  });

  it('that get no answer end when the caller has waited long enough', async () => {
    board.add({ fault: { kind: 'lose', what: 'answer', isSilent: true } });
    const ended = outcome(client.create(configMaps, make('a'), { timeoutMs: 5_000 }));
    await clock.advance(4_999);
    expect(await Promise.race([ended, Promise.resolve('waiting')])).toBe('waiting');
    await clock.advance(1);
    expect(await ended).toMatchObject({ name: 'TransportError', message: 'no answer within 5000 ms' });
    expect(await names()).toEqual(['a']);
  });

  it('that take too long are carried out after the caller has given up', async () => {
    board.add({ fault: { kind: 'delay', requestMs: 60_000 } });
    const ended = outcome(client.create(configMaps, make('a')));
    await clock.advance(30_000);
    expect(await ended).toBeInstanceOf(TransportError);
    expect(await names()).toEqual([]);
    await clock.advance(30_000);
    expect(await names()).toEqual(['a']);
  });

  it('are hit as often, as likely and where the rule says', async () => {
    board.add({ when: { resources: ['configmaps'] }, chance: 0.3, times: 1, fault: { kind: 'refuse', code: 500 } });
    dice = [0.3, 0.29, 0];
    expect(await outcome(client.create(secrets, make('s')))).toBe('done');
    expect(await outcome(client.create(configMaps, make('a')))).toBe('done');
    expect(await outcome(client.create(configMaps, make('b')))).toMatchObject({ code: 500 });
    expect(await outcome(client.create(configMaps, make('b')))).toBe('done');
  });

  it('are left alone once a rule is taken back', async () => {
    const undo = board.add({ fault: { kind: 'refuse', code: 500 } });
    expect(await outcome(client.list(configMaps))).toMatchObject({ code: 500 });
    undo();
    expect(await outcome(client.list(configMaps))).toBe('done');
  });
});

describe('watches', () => {
  /** Follows a kind and notes what arrives, and how it ends. */
  const follow = (type: ResourceType<ConfigMap>, seen: string[], resourceVersion?: string) => {
    const stop = new AbortController();
    const note = (event: WatchEvent<ConfigMap>) =>
      seen.push(event.type === 'BOOKMARK' ? 'BOOKMARK' : `${event.type} ${event.object.metadata?.name}`);
    const ended = (async () => {
      const options = { namespace: 'default', signal: stop.signal, ...(resourceVersion ? { resourceVersion } : {}) };
      for await (const event of client.watch(type, options)) note(event);
    })();
    return { stop: () => stop.abort(), ended: outcome(ended) };
  };

  it('hold events back while frozen, and let them through in order afterwards', async () => {
    const seen: string[] = [];
    const { stop } = follow(configMaps, seen);
    await clock.settle();
    const release = board.freeze({ resources: ['configmaps'] });
    for (const name of ['a', 'b', 'c']) await server.create(configMaps, make(name));
    await clock.settle();
    expect(seen).toEqual([]);
    release();
    await clock.settle();
    expect(seen).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    stop();
  });

  it('that are opened during a freeze are frozen too', async () => {
    const seen: string[] = [];
    await server.create(configMaps, make('a'));
    const release = board.freeze();
    const { stop } = follow(configMaps, seen);
    await clock.advance(1_000);
    expect(seen).toEqual([]);
    release();
    await clock.settle();
    expect(seen).toEqual(['ADDED a']);
    stop();
  });

  it('show two kinds in another order than they happened, but each kind in order', async () => {
    const seen: string[] = [];
    const watches = [follow(configMaps, seen), follow(secrets, seen)];
    await clock.settle();
    board.add({ when: { verbs: ['watch'], resources: ['configmaps'] }, fault: { kind: 'delay', eventMs: 100 } });
    await server.create(configMaps, make('first'));
    await server.create(configMaps, make('second'));
    await server.create(secrets, make('third'));
    await clock.advance(200);
    expect(seen).toEqual(['ADDED third', 'ADDED first', 'ADDED second']);
    for (const watch of watches) watch.stop();
  });

  it('break as they are told, and lose what was under way', async () => {
    const ends: unknown[] = [];
    for (const how of ['reset', 'end', 'expired'] as const) {
      const seen: string[] = [];
      const { ended } = follow(configMaps, seen);
      await clock.settle();
      board.freeze();
      await server.create(configMaps, make(how));
      expect(board.cut(how)).toBe(1);
      board.clear();
      ends.push(await ended);
      expect(seen).not.toContain(`ADDED ${how}`);
    }
    expect(ends).toMatchObject([{ name: 'TransportError' }, 'done', { code: 410, reason: 'Expired' }]);
    expect(board.cut('reset')).toBe(0);
  });

  it('whose opening gets lost without a word end when the client has noticed', async () => {
    board.add({ fault: { kind: 'lose', what: 'request', isSilent: true } });
    const { ended } = follow(configMaps, []);
    await clock.advance(44_999);
    expect(await Promise.race([ended, Promise.resolve('waiting')])).toBe('waiting');
    await clock.advance(1);
    expect(await ended).toBeInstanceOf(TransportError);
  });

  it('from a version that was compacted away end with 410', async () => {
    const old = await server.create(configMaps, make('a'));
    await server.create(configMaps, make('b'));
    api.store.compact(api.store.revision);
    const { ended } = follow(configMaps, [], old.metadata?.resourceVersion);
    expect(await ended).toMatchObject({ code: 410 });
  });

  it('end for the server, without a word to the client, when the client is gone', async () => {
    const gone = new AbortController();
    const errors = { refused: () => new Error('refused'), lost: () => new Error('lost') };
    const dying = withFaults(server, board, { client: 'dying', clock, errors, gone: gone.signal });
    const seen: unknown[] = [];
    const ended = (async () => {
      for await (const event of dying.watch(configMaps, {})) seen.push(event);
      return 'ended';
    })();
    await clock.settle();
    gone.abort();
    await server.create(configMaps, make('a'));
    await clock.settle();
    expect(await Promise.race([ended, Promise.resolve('silent')])).toBe('silent');
    expect([seen, board.cut('end', { clients: ['dying'] })]).toEqual([[], 0]);
  });
});

describe('a second replica', () => {
  it('shows an older state to reads, while writes reach the one store', async () => {
    await server.create(configMaps, make('a'));
    replica.hold();
    await server.create(configMaps, make('b'));
    board.add({ fault: { kind: 'stale' } });
    expect(await names(client)).toEqual(['a']);
    expect(await outcome(client.get(configMaps, { name: 'b', namespace: 'default' }))).toMatchObject({ code: 404 });
    expect(await outcome(client.create(configMaps, make('b')))).toMatchObject({ reason: 'AlreadyExists' });
    replica.release();
    expect(await names(client)).toEqual(['a', 'b']);
  });

  it('says 504 to whoever knows of a later state', async () => {
    replica.hold();
    const later = await server.create(configMaps, make('a'));
    board.add({ fault: { kind: 'stale' } });
    const options = { resourceVersion: later.metadata?.resourceVersion, resourceVersionMatch: 'NotOlderThan' } as const;
    expect(await outcome(client.list(configMaps, options))).toMatchObject({ code: 504 });
  });

  it('moves on as far as it is told, and tells its watchers', async () => {
    replica.hold();
    board.add({ fault: { kind: 'stale' } });
    const seen: string[] = [];
    const stop = new AbortController();
    const ended = (async () => {
      for await (const event of client.watch(configMaps, { signal: stop.signal })) {
        if (event.type !== 'BOOKMARK') seen.push(event.object.metadata?.name ?? '');
      }
    })();
    await clock.settle();
    const first = await server.create(configMaps, make('a'));
    await server.create(configMaps, make('b'));
    replica.advance(Number(first.metadata?.resourceVersion));
    await clock.settle();
    expect(seen).toEqual(['a']);
    replica.advance();
    await clock.settle();
    expect(seen).toEqual(['a', 'b']);
    stop.abort();
    await outcome(ended);
  });
});
