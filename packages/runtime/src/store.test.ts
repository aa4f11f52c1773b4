import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Change, type Entry, Store } from './store.ts';

interface Row {
  readonly group: string;
}

const indexes = { group: (row: Row) => [row.group], letters: (row: Row) => row.group.split('') };
const entry = (group: string, resourceVersion: string, uid = 'u'): Entry<Row> => ({
  uid,
  resourceVersion,
  record: { group },
});
const asEntry = ({ group, version }: { group: string; version: number }) => entry(group, `${version}${group.length}`);
const fill = (rows: Readonly<Record<string, Entry<Row>>>) => {
  const store = new Store<Row, 'group' | 'letters'>(indexes);
  for (const [key, row] of Object.entries(rows)) store.put(key, row);
  return store;
};

describe('Store', () => {
  it('reports an addition, a change and a removal with what was and what is', () => {
    const store = fill({});
    expect(store.put('a/x', entry('g', '1'))).toEqual([{ key: 'a/x', after: { group: 'g' } }]);
    expect(store.put('a/x', entry('h', '2'))).toEqual([{ key: 'a/x', before: { group: 'g' }, after: { group: 'h' } }]);
    expect(store.remove('a/x')).toEqual([{ key: 'a/x', before: { group: 'h' } }]);
    expect(store.remove('a/x')).toEqual([]);
  });

  it('hears nothing new in a version it already has', () => {
    const store = fill({ 'a/x': entry('g', '1') });
    const record = store.get('a/x');
    expect(store.put('a/x', entry('g', '1'))).toEqual([]);
    expect(store.get('a/x')).toBe(record);
  });

  it('reports a new life under an old name as an end and a beginning', () => {
    const store = fill({ 'a/x': entry('g', '1', 'old') });
    expect(store.put('a/x', entry('h', '5', 'new'))).toEqual([
      { key: 'a/x', before: { group: 'g' } },
      { key: 'a/x', after: { group: 'h' } },
    ]);
  });

  it('replaces one namespace and leaves the others alone', () => {
    const store = fill({ 'a/x': entry('g', '1'), 'a/y': entry('g', '1'), 'ab/z': entry('g', '1') });
    const changes = store.replace('a', new Map([['a/y', entry('h', '2')]]));
    expect(changes).toEqual([
      { key: 'a/x', before: { group: 'g' } },
      { key: 'a/y', before: { group: 'g' }, after: { group: 'h' } },
    ]);
    expect([...store.keys()].toSorted()).toEqual(['a/y', 'ab/z']);
  });

  it('takes an older version from a full list, as a server restored from a backup sends it', () => {
    const store = fill({ 'a/x': entry('new', '9') });
    store.replace(undefined, new Map([['a/x', entry('old', '3')]]));
    expect(store.get('a/x')).toEqual({ group: 'old' });
  });

  it('answers from its indexes what a scan would find, after any series of writes and replacements', () => {
    const key = fc.constantFrom('a/x', 'a/y', 'b/x', 'b/y', 'c');
    const row = fc.record({ group: fc.constantFrom('p', 'pq', 'q', ''), version: fc.integer({ min: 1, max: 5 }) });
    const step = fc.oneof(
      fc.record({ do: fc.constant('put' as const), key, row }),
      fc.record({ do: fc.constant('remove' as const), key }),
      fc.record({
        do: fc.constant('replace' as const),
        namespace: fc.constantFrom('a', 'b', undefined),
        rows: fc.dictionary(fc.constantFrom('a/x', 'a/y', 'b/x'), row),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = fill({});
        const told = new Map<string, Row>();
        const follow = (changes: readonly Change<Row>[]) => {
          for (const change of changes) {
            expect(change.before).toEqual(told.get(change.key));
            if (change.after === undefined) told.delete(change.key);
            else told.set(change.key, change.after);
          }
        };
        for (const one of steps) {
          if (one.do === 'put') follow(store.put(one.key, asEntry(one.row)));
          else if (one.do === 'remove') follow(store.remove(one.key));
          else {
            const rows = Object.entries(one.rows).filter(
              ([name]) => one.namespace === undefined || name.startsWith(`${one.namespace}/`),
            );
            follow(store.replace(one.namespace, new Map(rows.map(([name, value]) => [name, asEntry(value)]))));
          }
        }
        const rows = [...store.records()];
        expect(Object.fromEntries(told)).toEqual(
          Object.fromEntries([...store.keys()].map((name) => [name, store.get(name)])),
        );
        for (const group of ['p', 'pq', 'q', '']) {
          expect(store.by('group', group)).toHaveLength(rows.filter((found) => found.group === group).length);
        }
        for (const letter of ['p', 'q']) {
          expect(store.by('letters', letter)).toHaveLength(rows.filter((found) => found.group.includes(letter)).length);
        }
      }),
    );
  });
});
