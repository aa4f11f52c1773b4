import { createWidgets } from '../support/custom-resources.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import type { Case, KubeList, Target } from '../support/target.ts';

const oldVersion = 3;

/** Three objects of a kind that is younger than the old version: what the real server's cache never held, only etcd can tell. */
async function three(t: Target): Promise<string> {
  const widgets = await createWidgets(t);
  const namespace = await t.namespace();
  for (const name of ['a', 'b', 'c']) await t.must('POST', widgets.path(namespace), widgets.object(name));
  return widgets.path(namespace);
}

/** The token of a page, as if that page had been read long ago. */
function agedToken(list: KubeList): string {
  const token = JSON.parse(Buffer.from(list.metadata.continue ?? '', 'base64url').toString()) as object;
  return Buffer.from(JSON.stringify({ ...token, rv: oldVersion })).toString('base64url');
}

/** What a server has forgotten. These cases make it forget, so they run alone. */
export const cases: readonly Case[] = [
  {
    title: 'a list exactly at a forgotten version says 410',
    run: async (t) => {
      const path = await three(t);
      await t.forget();
      expectRefusal(await t.request('GET', `${path}?resourceVersion=${oldVersion}&resourceVersionMatch=Exact`), {
        code: 410,
        reason: 'Expired',
        message: 'The resourceVersion for the provided list is too old.',
      });
    },
  },
  {
    title: 'a token of a forgotten version says 410, with a token to go on in the present',
    run: async (t) => {
      const path = await three(t);
      const token = agedToken(await t.list(`${path}?limit=1`));
      await t.forget();
      const answer = await t.request('GET', `${path}?limit=1&continue=${token}`);
      expectRefusal(answer, {
        code: 410,
        reason: 'Expired',
        message:
          'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
      });
      const { metadata } = answer.body as KubeList;
      const rest = await t.list(`${path}?limit=5&continue=${metadata.continue}`);
      expect(rest.items.map((item) => item.metadata.name)).toEqual(['b', 'c']);
    },
  },
  {
    title: 'a watch from a forgotten version ends with an ERROR that says 410',
    run: async (t) => {
      const path = await three(t);
      await t.forget();
      const watch = await t.watch(`${path}?watch=true&resourceVersion=1`);
      const { type, object } = await watch.next();
      expect(type).toBe('ERROR');
      expect(object).toMatchObject({
        kind: 'Status',
        status: 'Failure',
        reason: 'Expired',
        code: 410,
        message: expect.stringMatching(/^too old resource version: 1 \(\d+\)$/),
      });
      expect(await watch.rest()).toEqual([]);
    },
  },
  {
    title: 'a list without a version, and a watch from it, work after anything was forgotten',
    run: async (t) => {
      const path = await three(t);
      await t.forget();
      const list = await t.list(path);
      expect(list.items).toHaveLength(3);
      const watch = await t.watch(`${path}?watch=true&resourceVersion=${list.metadata.resourceVersion}`);
      await t.must('DELETE', `${path}/a`);
      expect((await watch.next()).type).toBe('DELETED');
      watch.close();
    },
  },
];
