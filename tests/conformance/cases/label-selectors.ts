import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMap } from '../support/objects.ts';
import { configMaps } from '../support/paths.ts';
import type { Case, Target } from '../support/target.ts';

const objects: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  red: { color: 'red', size: '1' },
  green: { color: 'green', size: '2' },
  blue: { color: 'blue', size: '10', 'example.com/special': '' },
  plain: {},
};

const selectors: Readonly<Record<string, readonly string[]>> = {
  'color=red': ['red'],
  'color==red': ['red'],
  'color!=red': ['blue', 'green', 'plain'],
  'color in (red, blue)': ['blue', 'red'],
  'color in (red)': ['red'],
  'color notin (red,blue)': ['green', 'plain'],
  color: ['blue', 'green', 'red'],
  '!color': ['plain'],
  'size>1': ['blue', 'green'],
  'size<10': ['green', 'red'],
  'color,size!=1': ['blue', 'green'],
  'color in (red,green),size notin (2)': ['red'],
  'example.com/special': ['blue'],
  'example.com/special=': ['blue'],
  'color in ()': [],
  valueOf: [],
  '!constructor': ['blue', 'green', 'plain', 'red'],
  'color in (,red)': ['red'],
  ' color = red , size ': ['red'],
};

const bad: Readonly<Record<string, string>> = {
  'color in red': "unable to parse requirement: found 'red' expected: '('",
  'color in (red': "unable to parse requirement: found '', expected: ',' or ')'",
  '=red': "found '=', expected: !, identifier, or 'end of string'",
  'color=a b': "found 'b', expected: ',' or 'end of string'",
  'color,,size': "found ',', expected: identifier after ','",
  'size>x':
    "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
};

async function coloured(t: Target): Promise<string> {
  const namespace = await t.namespace();
  for (const [name, labels] of Object.entries(objects))
    await t.must('POST', configMaps(namespace), configMap(name, {}, { labels: { ...labels, suite: 'yes' } }));
  return namespace;
}

export const cases: readonly Case[] = [
  ...Object.entries(selectors).map(([selector, names]) => ({
    title: `the selector \`${selector}\` finds ${names.length === 0 ? 'nothing' : names.join(', ')}`,
    run: async (t: Target) => {
      const namespace = await coloured(t);
      const query = encodeURIComponent(selector);
      const list = await t.list(`${configMaps(namespace)}?labelSelector=${query}`);
      const found = list.items.map((item) => item.metadata.name).filter((name) => name !== 'kube-root-ca.crt');
      expect(found).toEqual(names);
    },
  })),
  {
    title: 'an empty selector finds everything, in the order of names',
    run: async (t) => {
      const namespace = await coloured(t);
      const list = await t.list(`${configMaps(namespace)}?labelSelector=`);
      const found = list.items.map((item) => item.metadata.name).filter((name) => name !== 'kube-root-ca.crt');
      expect(found).toEqual(Object.keys(objects).toSorted());
    },
  },
  ...Object.entries(bad).map(([selector, complaint]) => ({
    title: `the selector \`${selector}\` is refused`,
    run: async (t: Target) => {
      const path = configMaps(await t.namespace());
      expectRefusal(await t.request('GET', `${path}?labelSelector=${encodeURIComponent(selector)}`), {
        code: 400,
        reason: 'BadRequest',
        message: complaint,
      });
    },
  })),
];
