import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventEntry, LogEntry, PodEntry, VersionEntry } from './entries.ts';
import { HistoryStore } from './history-store.ts';
import { applyMerge, mergeDiff } from './merge-diff.ts';

const T0 = Date.parse('2026-01-01T00:00:00Z');
const DAY_MS = 86_400_000;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-history-'));
  file = join(folder, 'history.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

function version(uid: string, resourceVersion: string, fields: Partial<VersionEntry> = {}): VersionEntry {
  return {
    kind: 'version',
    uid,
    object: 'RayJob',
    namespace: 'default',
    name: 'train',
    owner: '',
    resourceVersion,
    at: T0,
    document: {
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
      status: { jobDeploymentStatus: resourceVersion },
    },
    ...fields,
  };
}

const pod: PodEntry = {
  kind: 'pod',
  uid: 'pod-1',
  namespace: 'default',
  name: 'train-head',
  owner: 'cluster-1',
  job: '',
  nodeType: 'head',
  group: 'headgroup',
  node: 'node-1',
  createdAt: T0,
  deletedAt: undefined,
  ends: [{ container: 'ray-head', restart: 0, at: T0 + 1, exitCode: 137, reason: 'OOMKilled', message: '' }],
};
const event: EventEntry = {
  kind: 'event',
  uid: 'event-1',
  namespace: 'default',
  regardingKind: 'RayJob',
  regardingName: 'train',
  at: T0,
  type: 'Warning',
  reason: 'Failed',
  message: 'it failed',
  count: 1,
};
const log: LogEntry = { kind: 'log', podUid: 'pod-1', container: 'ray-head', restart: 0, at: T0, text: 'last words\n' };

describe('append()', () => {
  it('keeps everything over a restart of the process', () => {
    const store = new HistoryStore(file);
    store.append([version('job-1', '1'), pod, event, log]);
    store.close();
    const again = new HistoryStore(file);
    expect(again.named('RayJob', 'default', 'train')).toMatchObject([{ uid: 'job-1', createdAt: T0 }]);
    expect(again.pods({ owner: 'cluster-1' })).toEqual([pod]);
    expect(again.events('default', 'RayJob', 'train')).toEqual([event]);
    expect(again.logs('pod-1')).toEqual([log]);
    again.close();
  });

  it('changes nothing when entries are appended again, as after an answer that was lost', () => {
    const store = new HistoryStore(file);
    const entries = [version('job-1', '1'), version('job-1', '2'), pod, event, log];
    store.append(entries);
    store.append(entries);
    expect(store.versions('job-1').map(({ resourceVersion }) => resourceVersion)).toEqual(['1', '2']);
    expect(store.pods({ owner: 'cluster-1' })).toEqual([pod]);
    expect(store.events('default', 'RayJob', 'train')).toHaveLength(1);
    store.close();
  });

  it('writes all entries or none', () => {
    const store = new HistoryStore(file);
    const broken = { ...log, text: undefined as unknown as string };
    expect(() => store.append([version('job-1', '1'), broken])).toThrow('cannot be bound');
    expect(store.named('RayJob', 'default', 'train')).toEqual([]);
    store.append([version('job-1', '1')]);
    expect(store.named('RayJob', 'default', 'train')).toHaveLength(1);
    store.close();
  });

  it('records no version if only the resource version changed', () => {
    const store = new HistoryStore(file);
    const { document } = version('job-1', '1');
    store.append([version('job-1', '1', { document }), version('job-1', '2', { document })]);
    expect(store.versions('job-1')).toHaveLength(1);
    store.close();
  });

  it('keeps objects apart that had the same name one after the other', () => {
    const store = new HistoryStore(file);
    const later = { metadata: { creationTimestamp: '2026-01-02T00:00:00Z' } };
    store.append([
      version('job-1', '1'),
      version('job-1', '', { document: undefined, at: T0 + 5 }),
      version('job-2', '9', { document: later }),
    ]);
    const [second, first] = store.named('RayJob', 'default', 'train');
    expect([second?.uid, second?.deletedAt, first?.uid, first?.deletedAt]).toEqual([
      'job-2',
      undefined,
      'job-1',
      T0 + 5,
    ]);
    expect(store.living().map(({ uid }) => uid)).toEqual(['job-2']);
    store.close();
  });
});

describe('named()', () => {
  it('puts the object that exists, then the one deleted last, first among those created in the same second', () => {
    const store = new HistoryStore(file);
    for (const [i, uid] of ['b', 'a', 'c'].entries()) {
      store.append([version(uid, '1')]);
      if (uid !== 'c') store.append([version(uid, '', { document: undefined, at: T0 + i })]);
    }
    expect(store.named('RayJob', 'default', 'train').map(({ uid }) => uid)).toEqual(['c', 'a', 'b']);
    expect(store.objects('RayJob', 'default', 10).map(({ uid }) => uid)).toEqual(['c', 'a', 'b']);
    store.close();
  });
});

describe('versions()', () => {
  it('rebuilds each version from the patches', () => {
    const store = new HistoryStore(file);
    const documents = [{ a: 1, list: [1, 2] }, { a: 1, list: [2] }, { b: { c: 'x' } }, { b: {} }];
    store.append(documents.map((document, i) => version('job-1', String(i), { document, at: T0 + i })));
    expect(store.versions('job-1').map(({ document }) => document)).toEqual(documents);
    expect(store.versions('job-1')[2]?.patch).toEqual({ a: null, list: null, b: { c: 'x' } });
    store.close();
  });
});

describe('prune()', () => {
  const ended = (uid: string, daysAgo: number) => [
    version(uid, '1', { name: uid }),
    version(uid, '', { name: uid, document: undefined, at: T0 - daysAgo * DAY_MS }),
  ];

  it('deletes objects that ended before the retention, with their pods and logs, and keeps those that exist', () => {
    const store = new HistoryStore(file, { days: 10 });
    store.append([...ended('old', 11), ...ended('recent', 9), version('living', '1', { name: 'living' })]);
    store.append([{ ...pod, owner: 'old' }, log]);
    expect(store.prune(T0)).toBe(1);
    expect(store.objects('RayJob', '', 10).map(({ uid }) => uid)).toEqual(['living', 'recent']);
    expect(store.pods({ owner: 'old' })).toEqual([]);
    expect(store.logs('pod-1')).toEqual([]);
    store.close();
  });

  it('keeps the submitters of a later RayJob with the name of one that it deletes', () => {
    const store = new HistoryStore(file, { days: 10 });
    const submitter = { ...pod, owner: '', job: 'train' };
    const document = { metadata: { creationTimestamp: '2026-01-21T00:00:00Z' } };
    store.append([
      version('first', '1'),
      { ...submitter, uid: 'of-first', createdAt: T0 + 1_000 },
      version('first', '', { document: undefined, at: T0 + 2_000 }),
      version('second', '1', { document }),
      { ...submitter, uid: 'of-second', createdAt: T0 + 20 * DAY_MS },
    ]);
    expect(store.prune(T0 + 21 * DAY_MS)).toBe(1);
    expect(store.pods({ namespace: 'default', job: 'train' }).map(({ uid }) => uid)).toEqual(['of-second']);
    store.close();
  });

  it('keeps the latest ended objects of each kind and namespace', () => {
    const store = new HistoryStore(file, { objectsPerNamespace: 2 });
    store.append([1, 2, 3, 4].flatMap((day) => ended(`job-${day}`, day)));
    store.append([...ended('elsewhere', 5)].map((entry) => ({ ...entry, namespace: 'other' })));
    expect(store.prune(T0)).toBe(2);
    expect(
      store
        .objects('RayJob', '', 10)
        .map(({ uid }) => uid)
        .toSorted(),
    ).toEqual(['elsewhere', 'job-1', 'job-2']);
    store.close();
  });

  it('deletes the oldest ended objects while the data takes more bytes than allowed', () => {
    const store = new HistoryStore(file, { bytes: 400_000 });
    const large = { metadata: {}, blob: 'x'.repeat(20_000) };
    for (let i = 0; i < 100; i++)
      store.append([
        version(`job-${i}`, '1', { name: `job-${i}`, document: large }),
        version(`job-${i}`, '', { name: `job-${i}`, document: undefined, at: T0 - 1_000 + i }),
      ]);
    while (store.prune(T0) > 0);
    const left = store.objects('RayJob', '', 1_000).map(({ uid }) => uid);
    expect(left.length).toBeLessThan(60);
    expect(left).not.toContain('job-0');
    store.close();
  });
});

describe('opening a store', () => {
  it('refuses a file of a later version and leaves it as it is', () => {
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(() => new HistoryStore(file)).toThrow('was written by a later version (schema 99, this version reads 1)');
  });

  it('refuses a file that another process uses', () => {
    const store = new HistoryStore(file);
    store.append([log]);
    expect(() => new HistoryStore(file)).toThrow(/another process uses it; stop that process or choose another file/);
    store.close();
  });

  it('refuses a file that is no database', () => {
    expect(() => new HistoryStore(folder)).toThrow(`cannot open the history ${folder}`);
  });
});

describe('mergeDiff()', () => {
  const json = fc.letrec((tie) => ({
    object: fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 4, noNullPrototype: false }),
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ maxLength: 3 }),
      fc.integer(),
      fc.boolean(),
      fc.array(fc.integer(), { maxLength: 3 }),
      tie('object'),
    ),
  })).object;

  it('gives the patch that turns one object into the other', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const patch = mergeDiff(before, after);
        const result = patch === undefined ? before : applyMerge(before, patch);
        expect(JSON.parse(JSON.stringify(result))).toEqual(JSON.parse(JSON.stringify(after)));
      }),
    );
  });
});
