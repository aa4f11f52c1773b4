import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutAtRandom } from '../testing/random-chunks.ts';
import { ListItemSplitter } from './list-items.ts';

function split(chunks: readonly Uint8Array[]): { items: unknown[]; envelope: unknown } {
  const splitter = new ListItemSplitter();
  const items = chunks.flatMap((chunk) => splitter.push(chunk));
  return { items, envelope: splitter.end() };
}

const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('items', '"items":[', '\\', '\\"', ']}', '{[', '🐟', 'ü', '\u2028', '}', '"'),
);
const leaf = fc.oneof(hostileText, fc.integer(), fc.boolean(), fc.constant(null));
/** V8's JSON.parse, once warm, reads a key that is one escaped character, such as `"\\""`, as a backslash; no object of Kubernetes has such keys. */
const isMisreadByV8 = (key: string) => key.length === 1 && JSON.stringify(key) !== `"${key}"`;
const item = fc.dictionary(
  fc
    .oneof(hostileText, fc.constantFrom('items', 'metadata', 'kind'))
    .filter((key) => key !== '__proto__' && !isMisreadByV8(key)),
  fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.record({ items: fc.array(leaf, { maxLength: 2 }) })),
  { maxKeys: 5 },
);
const list = fc.record({
  before: fc.record(
    { kind: fc.constant('PodList'), metadata: fc.record({ resourceVersion: hostileText, items: leaf }) },
    { requiredKeys: [] },
  ),
  items: fc.array(item, { maxLength: 6 }),
  after: fc.record(
    { metadata: fc.record({ continue: hostileText }), tail: fc.array(item, { maxLength: 2 }) },
    { requiredKeys: [] },
  ),
});

test('items and envelope equal JSON.parse of the whole, wherever the chunks were cut', () => {
  const spacing = fc.constantFrom(undefined, 1, 2);
  fc.assert(
    fc.property(list, spacing, fc.infiniteStream(fc.nat(9)), ({ before, items, after }, indent, cuts) => {
      const text = JSON.stringify({ ...before, items, ...after }, null, indent);
      const whole = JSON.parse(text);
      const result = split(cutAtRandom(Buffer.from(text), cuts));
      expect(result.items).toEqual(whole.items);
      expect(result.envelope).toEqual({ ...whole, items: [] });
    }),
    { numRuns: 500 },
  );
});

describe('lists that are easily misread', () => {
  test.each([
    ['an empty list', '{"items":[]}', []],
    ['an empty list with spaces', '{ "items" : [ \n ] , "metadata" : {} }', []],
    ['items that are null', '{"kind":"PodList","items":null}', []],
    ['no items at all', '{"kind":"PodList"}', []],
    ['the word items as a value', '{"kind":"items","x":["items"],"items":[{"a":1}]}', [{ a: 1 }]],
    ['items deeper down', '{"metadata":{"items":[{"no":1}]},"items":[{"yes":1}]}', [{ yes: 1 }]],
    ['a longer key that begins like items', '{"itemsize":[{"no":1}],"items":[{"yes":1}]}', [{ yes: 1 }]],
    ['a shorter key', '{"item":[{"no":1}],"items":[{"yes":1}]}', [{ yes: 1 }]],
  ])('%s', (_, text, items) => {
    for (let at = 0; at <= text.length; at++) {
      const bytes = Buffer.from(text);
      expect(split([bytes.subarray(0, at), bytes.subarray(at)]).items).toEqual(items);
    }
  });
});

test('a list that stops early is an error at every byte', () => {
  const bytes = Buffer.from('{"metadata":{"resourceVersion":"1"},"items":[{"a":"b"},{"c":"d"}]}');
  for (let at = 0; at < bytes.length; at++) expect(() => split([bytes.subarray(0, at)])).toThrow(SyntaxError);
});

test('items that are not objects are refused', () => {
  expect(() => split([Buffer.from('{"items":[1]}')])).toThrow('the items of the list are not objects');
});
