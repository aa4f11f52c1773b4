import { eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { core } from '../support/paths.ts';
import type { Case, KubeList, Target } from '../support/target.ts';

const labels = { paged: 'yes' };
const secrets = (namespace: string) => core(namespace, 'secrets');
const secret = (name: string, more: object = {}) => ({ metadata: { name, labels }, ...more });

/** Where the secrets a to e are. */
async function five(t: Target): Promise<string> {
  const namespace = await t.namespace();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await t.must('POST', secrets(namespace), secret(name));
  return secrets(namespace);
}

const namesOf = (list: KubeList) => list.items.map((item) => item.metadata.name);
const next = (list: KubeList) => `continue=${encodeURIComponent(list.metadata.continue ?? '')}`;

export const cases: readonly Case[] = [
  {
    title: 'pages follow each other in the order of names and end without a token',
    run: async (t) => {
      const path = await five(t);
      const seen: string[] = [];
      let list = await t.list(`${path}?limit=2`);
      for (seen.push(...namesOf(list)); list.metadata.continue; seen.push(...namesOf(list))) {
        expect(list.items.length).toBeLessThanOrEqual(2);
        list = await t.list(`${path}?limit=2&${next(list)}`);
      }
      expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(list.metadata).not.toHaveProperty('continue');
      expect(list.metadata).not.toHaveProperty('remainingItemCount');
    },
  },
  {
    title: 'a page says how many items remain where no selector is used',
    run: async (t) => {
      const path = await five(t);
      expect((await t.list(`${path}?limit=2`)).metadata.remainingItemCount).toBe(3);
    },
  },
  {
    title: 'a page does not say how many items remain where a selector is used',
    run: async (t) => {
      const list = await t.list(`${await five(t)}?limit=2&labelSelector=paged`);
      expect(namesOf(list)).toEqual(['a', 'b']);
      expect(list.metadata.continue).toMatch(/./);
      expect(list.metadata).not.toHaveProperty('remainingItemCount');
    },
  },
  {
    title: 'all pages show the state of the first, whatever was written since',
    run: async (t) => {
      const path = await five(t);
      const first = await t.list(`${path}?limit=2&labelSelector=paged`);
      await t.must('DELETE', `${path}/c`);
      await t.must('POST', path, secret('ca'));
      await t.must('PUT', `${path}/d`, secret('d', { stringData: { changed: 'yes' } }));
      const second = await t.list(`${path}?labelSelector=paged&${next(first)}`);
      expect(namesOf(second)).toEqual(['c', 'd', 'e']);
      expect(second.items[1]).not.toHaveProperty('data');
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    },
  },
  {
    title: 'a limit that is larger than the list gives all of it and no token',
    run: async (t) => {
      const list = await t.list(`${await five(t)}?limit=500`);
      expect(namesOf(list)).toHaveLength(5);
      expect(list.metadata).not.toHaveProperty('continue');
    },
  },
  {
    title: 'a limit of exactly the number of matches gives no token',
    run: async (t) => {
      const list = await t.list(`${await five(t)}?limit=5&labelSelector=paged`);
      expect(namesOf(list)).toHaveLength(5);
      expect(list.metadata).not.toHaveProperty('continue');
    },
  },
  {
    title: 'a limit of 0 is no limit',
    run: async (t) => expect(namesOf(await t.list(`${await five(t)}?limit=0`))).toHaveLength(5),
  },
  {
    title: 'a limit at version 0 is passed over',
    run: async (t) => {
      const path = await five(t);
      // A cache that is behind holds fewer; it never holds more.
      await eventuallyHolds(async () => {
        const list = await t.list(`${path}?limit=2&resourceVersion=0`);
        expect(namesOf(list)).toEqual(['a', 'b', 'c', 'd', 'e']);
        expect(list.metadata).not.toHaveProperty('continue');
      });
    },
  },
  {
    title: 'pages can begin at an exact version of the past',
    run: async (t) => {
      const path = await five(t);
      const before = (await t.list(path)).metadata.resourceVersion;
      await t.must('DELETE', `${path}/a`);
      const exact = `resourceVersion=${before}&resourceVersionMatch=Exact`;
      const list = await t.list(`${path}?limit=2&labelSelector=paged&${exact}`);
      expect(namesOf(list)).toEqual(['a', 'b']);
      expect(list.metadata.resourceVersion).toBe(before);
    },
  },
  {
    title: 'a limit that is no number is refused',
    run: async (t) =>
      expectRefusal(await t.request('GET', `${secrets(await t.namespace())}?limit=x`), {
        code: 400,
        reason: 'BadRequest',
        message: 'strconv.ParseInt: parsing "x": invalid syntax',
      }),
  },
  {
    title: 'a garbled token is refused',
    run: async (t) =>
      expectRefusal(await t.request('GET', `${secrets(await t.namespace())}?limit=1&continue=garbage`), {
        code: 400,
        reason: 'BadRequest',
        message: /^invalid continue token: continue key is not valid: /,
      }),
  },
  {
    title: 'a token beside a version is refused',
    run: async (t) => {
      const path = await five(t);
      const list = await t.list(`${path}?limit=2`);
      expectRefusal(await t.request('GET', `${path}?limit=2&${next(list)}&resourceVersion=5`), {
        code: 400,
        reason: 'BadRequest',
        message: 'specifying resource version is not allowed when using continue',
      });
    },
  },
  {
    title: 'pages run over namespaces too',
    run: async (t) => {
      const one = await t.namespace();
      const two = await t.namespace();
      const label = t.unique('p');
      for (const namespace of [one, two])
        for (const name of ['a', 'b'])
          await t.must('POST', secrets(namespace), { metadata: { name, labels: { label } } });
      const path = `/api/v1/secrets?labelSelector=label%3D${label}`;
      const first = await t.list(`${path}&limit=3`);
      const second = await t.list(`${path}&limit=3&${next(first)}`);
      const seen = [...first.items, ...second.items].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
      expect(seen).toEqual([one, two].toSorted().flatMap((namespace) => [`${namespace}/a`, `${namespace}/b`]));
    },
  },
];
