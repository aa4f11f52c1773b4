import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMap } from '../support/objects.ts';
import { configMaps } from '../support/paths.ts';
import type { Case, Target } from '../support/target.ts';

const future = '999999999999';

/** Two states of one object, and the version at which only the first was there. */
async function history(t: Target) {
  const namespace = await t.namespace();
  const path = configMaps(namespace);
  const first = await t.must('POST', path, configMap('x', { step: '1' }));
  const second = await t.must('PUT', `${path}/x`, configMap('x', { step: '2' }));
  return { path, first: first.metadata.resourceVersion, second: second.metadata.resourceVersion };
}

const stepsOf = async (t: Target, path: string) => (await t.list(path)).items.map((item) => item.data['step']);

const tooLarge = {
  code: 504,
  reason: 'Timeout',
  message: /^Timeout: Too large resource version: 999999999999, current: \d+$/,
  details: {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  },
};

export const cases: readonly Case[] = [
  {
    title: 'a get without a version reads the newest',
    run: async (t) => {
      const { path, second } = await history(t);
      expect((await t.must('GET', `${path}/x`)).metadata.resourceVersion).toBe(second);
    },
  },
  {
    title: 'a get at version 0 may be served from a cache, and finds the object',
    run: async (t) => {
      const { path } = await history(t);
      expect((await t.must('GET', `${path}/x?resourceVersion=0`)).metadata.name).toBe('x');
    },
  },
  {
    title: 'a get with a version reads something at least as new',
    run: async (t) => {
      const { path, second } = await history(t);
      const read = await t.must('GET', `${path}/x?resourceVersion=${second}`);
      expect(Number(read.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(second));
    },
  },
  {
    title: 'a get with a garbled version is refused',
    run: async (t) => {
      const { path } = await history(t);
      const answer = await t.request('GET', `${path}/x?resourceVersion=abc`);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.body).toMatchObject({
        kind: 'Status',
        message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      });
    },
  },
  {
    title: 'a get of the future times out, and says how far it is',
    run: async (t) => {
      const { path } = await history(t);
      expectRefusal(await t.request('GET', `${path}/x?resourceVersion=${future}`), tooLarge);
    },
  },
  {
    title: 'a list without a version is as new as its last write',
    run: async (t) => {
      const { path, second } = await history(t);
      const list = await t.list(path);
      expect(list.items.find((item) => item.metadata.name === 'x')?.data).toEqual({ step: '2' });
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(second));
    },
  },
  {
    title: 'a list not older than a version has what that version had',
    run: async (t) => {
      const { path, second } = await history(t);
      for (const match of ['', '&resourceVersionMatch=NotOlderThan']) {
        const list = await t.list(`${path}?resourceVersion=${second}${match}`);
        expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(second));
        expect(list.items.map((item) => item.data['step'])).toContain('2');
      }
    },
  },
  {
    title: 'a list exactly at a version shows the past',
    run: async (t) => {
      const { path, first, second } = await history(t);
      const query = `${path}?fieldSelector=metadata.name%3Dx&resourceVersionMatch=Exact&resourceVersion=`;
      expect(await stepsOf(t, query + first)).toEqual(['1']);
      expect(await stepsOf(t, query + second)).toEqual(['2']);
      expect((await t.list(query + first)).metadata.resourceVersion).toBe(first);
    },
  },
  {
    title: 'a list exactly at a version still has what was deleted since',
    run: async (t) => {
      const { path, second } = await history(t);
      await t.must('DELETE', `${path}/x`);
      const query = `${path}?fieldSelector=metadata.name%3Dx`;
      expect(await stepsOf(t, query)).toEqual([]);
      expect(await stepsOf(t, `${query}&resourceVersionMatch=Exact&resourceVersion=${second}`)).toEqual(['2']);
    },
  },
  {
    title: 'a list of the future times out',
    run: async (t) => {
      const { path } = await history(t);
      expectRefusal(await t.request('GET', `${path}?resourceVersion=${future}`), tooLarge);
    },
  },
  ...(
    [
      [
        'a match without a version',
        'resourceVersionMatch=Exact',
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      ],
      [
        'an exact match of version 0',
        'resourceVersion=0&resourceVersionMatch=Exact',
        'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      ],
      [
        'an unknown match',
        'resourceVersion=1&resourceVersionMatch=Nearly',
        'resourceVersionMatch: Unsupported value: "Nearly": supported values: "Exact", "NotOlderThan", ""',
      ],
      [
        'a match beside a continue token',
        'resourceVersion=1&resourceVersionMatch=Exact&limit=1&continue=x',
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
      ],
    ] as const
  ).map(([what, query, complaint]) => ({
    title: `a list with ${what} is refused`,
    run: async (t: Target) => {
      const answer = await t.request('GET', `${configMaps(await t.namespace())}?${query}`);
      expectRefusal(answer, {
        code: 422,
        reason: 'Invalid',
        message: `ListOptions.meta.k8s.io "" is invalid: ${complaint}`,
      });
    },
  })),
  {
    title: 'a list with a garbled version is refused',
    run: async (t) =>
      expectRefusal(await t.request('GET', `${configMaps(await t.namespace())}?resourceVersion=abc`), {
        code: 400,
        reason: 'BadRequest',
      }),
  },
];
