import { connect, constants } from 'node:http2';
import {
  createSwitchboard,
  type Fault,
  type Switchboard,
  startTestEngine,
  type TestEngine,
} from '@manta/apiserver/testing';
import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Watch } from '../conformance/support/target.ts';
import { openWatch } from '../conformance/support/watch-stream.ts';
import { type ApiRequester, type Credentials, createRequester } from '../support/api-request.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';

let clock: FakeClock;
let board: Switchboard;
let engine: TestEngine;
let credentials: Credentials;
let request: ApiRequester;
const watches: Watch[] = [];

beforeEach(async () => {
  clock = new FakeClock();
  board = createSwitchboard(() => 0.5);
  engine = await startTestEngine({ clock, faults: board });
  const { cert, key } = engine.admin;
  credentials = { url: engine.url, ca: engine.ca.cert, cert, key };
  request = createRequester(credentials);
});

afterEach(async () => {
  for (const open of watches.splice(0)) open.close();
  request.close();
  await engine.stop();
  // A fault on purpose is none of the engine's own.
  if (engine.internalErrors.length > 0) throw new AggregateError(engine.internalErrors);
});

const by = (client: string) => ({ 'user-agent': `${client}/1.0 (linux)` });
const make = (name: string, client = 'tester', path = MAPS) =>
  request('POST', path, { metadata: { name } }, by(client));
const isStored = (name: string) =>
  engine.api.store.get({ resource: '/configmaps', namespace: 'default', name }) !== undefined;
const resetConnection = { code: expect.stringMatching(/ECONNRESET|EPIPE/) };

async function watch(path: string, client = 'tester'): Promise<Watch> {
  const opened = await openWatch(credentials, `${path}${path.includes('?') ? '&' : '?'}watch=true`, by(client));
  watches.push(opened);
  return opened;
}

/** What a watch says next: the type and the name. */
async function next(of: Watch): Promise<string> {
  const { type, object } = await of.next();
  return `${type} ${object.metadata.name}`;
}

/** Sends a create over HTTP/2; resolves with the code that its stream was closed with. */
async function makeOverHttp2(name: string): Promise<{ readonly status: number | undefined; readonly rst: number }> {
  const session = connect(credentials.url, { ca: credentials.ca, cert: credentials.cert, key: credentials.key });
  try {
    return await new Promise((resolve) => {
      const headers = { ':method': 'POST', ':path': MAPS, 'content-type': 'application/json', ...by('tester') };
      const stream = session.request(headers);
      let status: number | undefined;
      stream.on('response', (answer) => (status = answer[':status']));
      stream.on('error', () => undefined);
      stream.on('close', () => resolve({ status, rst: stream.rstCode }));
      stream.resume();
      stream.end(JSON.stringify({ metadata: { name } }));
    });
  } finally {
    session.destroy();
  }
}

describe('faults over HTTP', () => {
  it('refuses as the real server would, with the wait that it asks for', async () => {
    const refuse = (code: number, retryAfterSeconds?: number) =>
      board.add({
        when: { verbs: ['create'], resources: ['configmaps'] },
        times: 1,
        fault: { kind: 'refuse', code, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
      });
    refuse(409);
    expect(await make('a')).toMatchObject({ status: 409, body: { kind: 'Status', reason: 'Conflict', code: 409 } });
    refuse(429, 7);
    expect(await make('a')).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
      body: { reason: 'TooManyRequests', details: { retryAfterSeconds: 7 } },
    });
    refuse(500);
    expect(await make('a')).toMatchObject({ status: 500, body: { reason: 'InternalError' } });
    expect(isStored('a')).toBe(false);
    expect(await make('a')).toMatchObject({ status: 201 });
  });

  it('tells clients, verbs and kinds apart', async () => {
    board.add({
      when: { clients: ['tester'], verbs: ['create'], resources: ['configmaps'] },
      fault: { kind: 'refuse', code: 500 },
    });
    expect(await make('a')).toMatchObject({ status: 500 });
    expect(await make('a', 'somebody')).toMatchObject({ status: 201 });
    expect(await make('a', 'tester', SECRETS)).toMatchObject({ status: 201 });
    expect(await request('GET', `${MAPS}/a`, undefined, by('tester'))).toMatchObject({ status: 200 });
  });

  it('loses a request before it is carried out, or its answer afterwards', async () => {
    const lose = (what: 'request' | 'answer') => board.add({ times: 1, fault: { kind: 'lose', what } });
    lose('request');
    await expect(make('before')).rejects.toMatchObject(resetConnection);
    expect(isStored('before')).toBe(false);
    lose('answer');
    await expect(make('after')).rejects.toMatchObject(resetConnection);
    expect(isStored('after')).toBe(true);
  });

  it.each([
    ['unsent', constants.NGHTTP2_REFUSED_STREAM, false],
    ['request', constants.NGHTTP2_INTERNAL_ERROR, false],
    ['answer', constants.NGHTTP2_INTERNAL_ERROR, true],
  ] as const)('ends only the stream over HTTP/2, and says whether it was heard: %s', async (what, rst, stored) => {
    board.add({ times: 1, fault: { kind: 'lose', what } });
    expect(await makeOverHttp2('a')).toEqual({ status: undefined, rst });
    expect(isStored('a')).toBe(stored);
    expect(await makeOverHttp2('b')).toMatchObject({ status: 201 });
  });

  it('leaves a client waiting where the loss is silent', async () => {
    board.add({ times: 1, fault: { kind: 'lose', what: 'answer', isSilent: true } });
    let hasAnswer = false;
    make('a').then(
      () => (hasAnswer = true),
      () => (hasAnswer = true),
    );
    await vi.waitFor(() => expect(isStored('a')).toBe(true));
    expect(await make('b')).toMatchObject({ status: 201 });
    expect(hasAnswer).toBe(false);
  });

  it('delays a request before, and its answer after it is carried out', async () => {
    const fault: Fault = { kind: 'delay', requestMs: 1_000, answerMs: 500 };
    board.add({ when: { verbs: ['create'] }, times: 1, fault });
    let status = 0;
    const answered = make('a').then((answer) => (status = answer.status));
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    expect(isStored('a')).toBe(false);
    await clock.advance(1_000);
    await vi.waitFor(() => expect(isStored('a')).toBe(true));
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    expect(status).toBe(0);
    await clock.advance(500);
    expect(await answered).toBe(201);
  });

  it('lets the replica answer reads, as old as it is', async () => {
    engine.replica?.hold();
    await make('a');
    board.add({ when: { clients: ['traveller'] }, fault: { kind: 'stale' } });
    const named = async (client: string) => {
      const { body } = await request('GET', MAPS, undefined, by(client));
      return (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
    };
    expect(await named('tester')).toContain('a');
    expect(await named('traveller')).not.toContain('a');
    expect(await make('b', 'traveller')).toMatchObject({ status: 201 });
    expect(isStored('b')).toBe(true);
    engine.replica?.release();
    expect(await named('traveller')).toEqual(await named('tester'));
  });
});

describe('faults of watches over HTTP', () => {
  it('freezes a watch and lets it go on in order, and leaves others alone', async () => {
    const [frozen, other] = [await watch(MAPS), await watch(MAPS, 'other')];
    const thaw = board.freeze({ clients: ['tester'] });
    for (const name of ['a', 'b']) await make(name);
    expect([await next(other), await next(other)]).toEqual(['ADDED a', 'ADDED b']);
    await make('c');
    thaw();
    expect([await next(frozen), await next(frozen), await next(frozen)]).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
  });

  it('delivers the events of two kinds in another order than they happened', async () => {
    const [maps, secrets] = [await watch(MAPS), await watch(SECRETS)];
    board.add({ when: { resources: ['configmaps'] }, fault: { kind: 'delay', eventMs: 2_000 } });
    const seen: string[] = [];
    const first = next(maps).then((event) => seen.push(`configmap ${event}`));
    await make('a');
    await make('b', 'tester', SECRETS);
    seen.push(`secret ${await next(secrets)}`);
    await clock.advance(2_000);
    await first;
    expect(seen).toEqual(['secret ADDED b', 'configmap ADDED a']);
  });

  it.each([
    ['reset', 'ECONNRESET'],
    ['end', []],
    ['expired', [['ERROR', 410]]],
  ] as const)('cuts watches: %s', async (how, expected) => {
    const cut = await watch(MAPS);
    expect(board.cut(how, { resources: ['configmaps'] })).toBe(1);
    const said = await cut.rest().then(
      (events) => events.map(({ type, object }) => [type, (object as { code?: number }).code]),
      ({ code }: NodeJS.ErrnoException) => code,
    );
    expect(said).toEqual(expected);
    await make('a');
    expect(await next(await watch(`${MAPS}?resourceVersion=0`))).toBe('ADDED a');
  });

  it('forgets history when it is told to', async () => {
    const { store } = engine.api;
    const before = store.revision;
    await make('a');
    await make('b');
    expect(await next(await watch(`${MAPS}?resourceVersion=${before}`))).toBe('ADDED a');
    store.compact(store.revision);
    const { type, object } = await (await watch(`${MAPS}?resourceVersion=${before}`)).next();
    expect([type, object]).toMatchObject(['ERROR', { code: 410, reason: 'Expired' }]);
  });

  it('keeps a watch of the replica in the past until the replica moves on', async () => {
    board.add({ when: { clients: ['traveller'] }, fault: { kind: 'stale' } });
    const [present, past] = [await watch(MAPS), await watch(MAPS, 'traveller')];
    engine.replica?.hold();
    await make('a');
    await make('b');
    expect([await next(present), await next(present)]).toEqual(['ADDED a', 'ADDED b']);
    engine.replica?.advance(engine.api.store.revision - 1);
    expect(await next(past)).toBe('ADDED a');
    engine.replica?.release();
    expect(await next(past)).toBe('ADDED b');
  });
});
