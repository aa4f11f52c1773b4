import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { core } from '../support/paths.ts';
import type { Case, Target, WatchEvent } from '../support/target.ts';

const brief = ({ type, object }: WatchEvent) => `${type} ${object.metadata.name}`;
const endOfInitial = 'k8s.io/initial-events-end';
const initial = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
const isEnd = ({ object }: WatchEvent) => object.metadata.annotations?.[endOfInitial] === 'true';

async function twoSecrets(t: Target): Promise<{ readonly path: string; readonly version: string }> {
  const path = core(await t.namespace(), 'secrets');
  for (const name of ['a', 'b']) await t.must('POST', path, { metadata: { name, labels: { name } } });
  return { path, version: (await t.list(path)).metadata.resourceVersion };
}

const refusals: Readonly<Record<string, readonly [query: string, complaint: string]>> = {
  'without a version match': [
    'watch=true&sendInitialEvents=true&allowWatchBookmarks=true',
    'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
  ],
  'with an exact match': [
    'watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=Exact&resourceVersion=1',
    '[resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
  ],
  'beside a continue token': [
    `${initial}&allowWatchBookmarks=true&continue=x`,
    'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
  ],
};

export const cases: readonly Case[] = [
  {
    title: 'initial events end with a bookmark that says so, at a version to go on from',
    run: async (t) => {
      const { path, version } = await twoSecrets(t);
      const watch = await t.watch(`${path}?${initial}&allowWatchBookmarks=true`);
      const events = await watch.until(isEnd);
      expect(events.slice(0, 2).map(brief)).toEqual(['ADDED a', 'ADDED b']);
      expect(events).toHaveLength(3);
      const end = events[2];
      expect(end).toMatchObject({ type: 'BOOKMARK', object: { kind: 'Secret', apiVersion: 'v1' } });
      expect(Number(end?.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(version));
      await t.must('DELETE', `${path}/a`);
      expect(brief(await watch.next())).toBe('DELETED a');
      watch.close();
    },
  },
  {
    title: 'initial events of an empty list are only the bookmark',
    run: async (t) => {
      const path = core(await t.namespace(), 'secrets');
      const watch = await t.watch(`${path}?${initial}&allowWatchBookmarks=true`);
      expect(await watch.until(isEnd)).toHaveLength(1);
      watch.close();
    },
  },
  {
    title: 'initial events respect selectors',
    run: async (t) => {
      const { path } = await twoSecrets(t);
      const watch = await t.watch(`${path}?${initial}&allowWatchBookmarks=true&labelSelector=name%3Db`);
      expect((await watch.until(isEnd)).slice(0, -1).map(brief)).toEqual(['ADDED b']);
      watch.close();
    },
  },
  {
    title: 'initial events without bookmarks come without the bookmark',
    run: async (t) => {
      const { path } = await twoSecrets(t);
      const watch = await t.watch(`${path}?${initial}`);
      expect([brief(await watch.next()), brief(await watch.next())]).toEqual(['ADDED a', 'ADDED b']);
      await t.must('POST', path, { metadata: { name: 'c' } });
      expect(brief(await watch.next())).toBe('ADDED c');
      watch.close();
    },
  },
  {
    title: 'sendInitialEvents=false begins at the version that is asked for',
    run: async (t) => {
      const { path, version } = await twoSecrets(t);
      const query = `watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=${version}`;
      const watch = await t.watch(`${path}?${query}`);
      await t.must('POST', path, { metadata: { name: 'c' } });
      expect(brief(await watch.next())).toBe('ADDED c');
      watch.close();
    },
  },
  ...Object.entries(refusals).map(
    ([what, [query, complaint]]): Case => ({
      title: `initial events ${what} are refused`,
      run: async (t) => {
        const watch = await t.watch(`${core(await t.namespace(), 'secrets')}?${query}`);
        expectRefusal(watch.refusal, {
          code: 422,
          reason: 'Invalid',
          message: `ListOptions.meta.k8s.io "" is invalid: ${complaint}`,
        });
      },
    }),
  ),
  {
    title: 'a list may not ask for initial events',
    run: async (t) => {
      const path = core(await t.namespace(), 'secrets');
      expectRefusal(
        await t.request('GET', `${path}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=1`),
        {
          code: 422,
          message:
            'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
        },
      );
    },
  },
];
