import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { NewObject, Store, StoreEvent, StoreKey } from './contract.ts';
import { openJournal } from './journal.ts';
import { createStore } from './store.ts';

const key = (name: string, namespace = 'default', resource: StoreKey['resource'] = '/pods'): StoreKey => ({
  resource,
  namespace,
  name,
});
const object = (name: string, namespace = 'default', data = 0): NewObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, uid: `uid-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
  data,
});
const names = (store: Store, options?: Parameters<Store['list']>[1]) =>
  store.list('/pods', options).map((o) => o.metadata.name);

describe('createStore()', () => {
  it('gives every write a larger revision and writes it into the object', () => {
    const store = createStore();
    const first = store.create(key('a'), object('a'));
    const second = store.update(key('a'), object('a', 'default', 1));
    expect(Number(second.metadata.resourceVersion)).toBe(Number(first.metadata.resourceVersion) + 1);
    expect(store.get(key('a'))).toBe(second);
  });

  it('refuses a second create, a stale update and anything on what is not there', () => {
    const store = createStore();
    const { metadata } = store.create(key('a'), object('a'));
    store.update(key('a'), object('a', 'default', 1));
    expect(() => store.create(key('a'), object('a'))).toThrow('pods "a" already exists');
    expect(() => store.update(key('a'), object('a'), Number(metadata.resourceVersion))).toThrow(
      'the object has been modified',
    );
    expect(() => store.delete(key('a'), Number(metadata.resourceVersion))).toThrow('the object has been modified');
    expect(() => store.delete(key('b'))).toThrow('pods "b" not found');
    expect(() => store.update(key('c', 'x', 'ray.io/rayclusters'), object('c'))).toThrow(
      'rayclusters.ray.io "c" not found',
    );
  });

  it('writes nothing when nothing changed', () => {
    const store = createStore();
    const stored = store.create(key('a'), object('a'));
    const events: StoreEvent[] = [];
    store.watch(store.revision, (event) => events.push(event));
    expect(store.update(key('a'), object('a'))).toBe(stored);
    expect(events).toEqual([]);
  });

  it('hands out frozen objects', () => {
    const stored = createStore().create(key('a'), object('a'));
    expect(() => Object.assign(stored.metadata, { name: 'b' })).toThrow(TypeError);
  });

  it("lists in etcd's order, one namespace or all", () => {
    const store = createStore();
    for (const [namespace, name] of [
      ['b', 'x'],
      ['a', 'y'],
      ['a-b', 'z'],
      ['a', 'x.1'],
      ['a', 'x'],
    ] as const) {
      store.create(key(name, namespace), object(name, namespace));
    }
    expect(store.list('/pods').map((o) => `${o.metadata.namespace}/${o.metadata.name}`)).toEqual([
      'a-b/z',
      'a/x',
      'a/x.1',
      'a/y',
      'b/x',
    ]);
    expect(names(store, { namespace: 'a' })).toEqual(['x', 'x.1', 'y']);
    expect(names(store, { namespace: 'none' })).toEqual([]);
  });

  it('reads the past while history reaches back, and says Expired after that', () => {
    const store = createStore();
    store.create(key('a'), object('a'));
    const past = store.revision;
    store.update(key('a'), object('a', 'default', 7));
    store.create(key('b'), object('b'));
    store.delete(key('a'));
    expect(store.list('/pods', { at: past }).map((o) => [o.metadata.name, o['data']])).toEqual([['a', 0]]);
    store.compact(past + 1);
    expect(() => store.list('/pods', { at: past })).toThrow('too old');
    expect(() => store.watch(past, () => undefined)).toThrow('too old');
  });

  it('forgets the oldest history first when there is too much of it', () => {
    const store = createStore({ historyLimit: 3 });
    for (let i = 0; i < 10; i += 1) store.create(key(`p${i}`), object(`p${i}`));
    const seen: string[] = [];
    store.watch(store.compactedRevision, (event) => seen.push(event.key.name));
    expect(seen).toEqual(['p7', 'p8', 'p9']);
  });

  it('tells watchers in order even when one of them writes', () => {
    const store = createStore();
    const seen: number[] = [];
    store.watch(store.revision, (event) => {
      if (event.key.name === 'a' && event.type === 'ADDED') store.create(key('b'), object('b'));
    });
    store.watch(store.revision, (event) => seen.push(event.revision));
    store.create(key('a'), object('a'));
    expect(seen).toEqual(seen.toSorted((x, y) => x - y));
    expect(seen).toHaveLength(2);
  });

  it('stops telling a watcher that has left', () => {
    const store = createStore();
    const seen: string[] = [];
    const stop = store.watch(store.revision, (event) => seen.push(event.key.name));
    store.create(key('a'), object('a'));
    stop();
    store.create(key('b'), object('b'));
    expect(seen).toEqual(['a']);
  });
});

type Op = { op: 'create' | 'update' | 'delete'; name: string; data: number };
const ops = fc.array(
  fc.record({
    op: fc.constantFrom<Op['op']>('create', 'update', 'delete'),
    name: fc.constantFrom('a', 'b', 'c'),
    data: fc.nat(3),
  }),
  { maxLength: 40 },
);

function run(store: Store, op: Op): void {
  try {
    if (op.op === 'create') store.create(key(op.name), object(op.name, 'default', op.data));
    else if (op.op === 'update') store.update(key(op.name), object(op.name, 'default', op.data));
    else store.delete(key(op.name));
  } catch {
    // A refusal is a legal answer; what is checked is that the rest stays consistent.
  }
}

describe('properties', () => {
  it('a watch replayed from any revision turns the list of that revision into the list of today', () => {
    fc.assert(
      fc.property(ops, fc.nat(40), (sequence, cut) => {
        const store = createStore();
        for (const op of sequence.slice(0, cut)) run(store, op);
        const from = store.revision;
        for (const op of sequence.slice(cut)) run(store, op);
        const replica = new Map(store.list('/pods', { at: from }).map((o) => [o.metadata.name, o]));
        store.watch(from, (event) => {
          if (event.type === 'DELETED') replica.delete(event.key.name);
          else replica.set(event.key.name, event.object);
        });
        expect([...replica.keys()].toSorted()).toEqual(names(store));
        for (const o of store.list('/pods')) expect(replica.get(o.metadata.name)).toBe(o);
      }),
    );
  });

  const folder = mkdtempSync(join(tmpdir(), 'manta-store-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let files = 0;

  it('a store opened again holds exactly what it held, and its revision never goes back', () => {
    fc.assert(
      fc.property(ops, (sequence) => {
        files += 1;
        const path = join(folder, `${files}.db`);
        const first = createStore({ journal: openJournal(path) });
        for (const op of sequence) run(first, op);
        const content = first.list('/pods');
        const { revision } = first;
        first.close();
        const second = createStore({ journal: openJournal(path) });
        expect(second.list('/pods')).toEqual(content);
        expect(second.revision).toBeGreaterThanOrEqual(revision);
        second.close();
      }),
      { numRuns: 25 },
    );
  });

  it('a data directory that is in use is refused with advice', () => {
    const path = join(folder, 'locked.db');
    const first = createStore({ journal: openJournal(path) });
    first.create(key('a'), object('a'));
    expect(() => openJournal(path)).toThrow(
      /another engine is using this data directory; stop it, or choose another with --data-dir/,
    );
    first.close();
  });
});
