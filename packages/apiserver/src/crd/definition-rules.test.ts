import { crds } from '@manta/api/crds';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../object/json.ts';
import { checkSchema } from './structure.ts';

const properties: JsonObject = {
  a: { type: 'string' },
  'a-b': { type: 'string' },
  n: { type: 'integer' },
  nn: { type: 'number' },
  l: { type: 'array', items: { type: 'string' } },
  o: { type: 'array', items: { type: 'object', properties: { w: { type: 'integer' } } } },
  m: { type: 'object', additionalProperties: { type: 'integer' } },
  i: { 'x-kubernetes-int-or-string': true },
  u: { 'x-kubernetes-preserve-unknown-fields': true },
  e: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  d: { type: 'string', format: 'date-time' },
};

function causesOf(rule: JsonObject, more: JsonObject = {}): readonly string[] {
  const spec = { type: 'object', properties: { ...properties, ...more }, 'x-kubernetes-validations': [rule] };
  const causes = checkSchema({ type: 'object', properties: { spec } }, 's');
  return causes.map(({ field, message }) => `${field.replace(/^.*x-kubernetes-validations\[0\]/, '')}: ${message}`);
}

/** What the compiler says, without the rule itself. */
function problems(rule: string): readonly string[] {
  return causesOf({ rule, message: 'm' }).flatMap((cause) =>
    [...cause.matchAll(/ERROR: <input>:(\d+:\d+: .*)\n/g)].map(([, said]) => said ?? ''),
  );
}

describe('a rule that cannot be right is refused with its definition', () => {
  it.each([
    ['self.nothing > 1', ["1:5: undefined field 'nothing'"]],
    ['self.u == 1', ["1:5: undefined field 'u'"]],
    ['self.?zz.orValue(1) == 1', ["1:5: undefined field 'zz'"]],
    ['self.metadata.name == ""', ["1:5: undefined field 'metadata'"]],
    ['oldSelf.no == 1', ["1:8: undefined field 'no'"]],
    ['has(self.q)', ["1:4: undefined field 'q'"]],
    ['has(self.a.b)', ["1:4: type 'string' does not support field selection"]],
    ['self.l[0].b == 1', ["1:10: type 'string' does not support field selection"]],
    ['self.m["x"].c == 1', ["1:12: type 'int' does not support field selection"]],
    ['self.l.exists(x, x.foo == 1)', ["1:19: type 'string' does not support field selection"]],
    ['self.l.map(x, x.no) == []', ["1:16: type 'string' does not support field selection"]],
    ['self.o.all(x, x.v > 0)', ["1:16: undefined field 'v'"]],
    ['self.e.foo == 1', ["1:7: undefined field 'foo'"]],
    ['self.e.metadata.name == 1', ["1:22: found no matching overload for '_==_' applied to '(string, int)'"]],
    ['self.a > 1', ["1:8: found no matching overload for '_>_' applied to '(string, int)'"]],
    ['self.nn == 1', ["1:9: found no matching overload for '_==_' applied to '(double, int)'"]],
    ['self.nn + 1 > 2.0', ["1:9: found no matching overload for '_+_' applied to '(double, int)'"]],
    ['self.a == null', ["1:8: found no matching overload for '_==_' applied to '(string, null)'"]],
    ['self.l == 1', ["1:8: found no matching overload for '_==_' applied to '(list(string), int)'"]],
    ['self.a in [1]', ["1:8: found no matching overload for '@in' applied to '(string, list(int))'"]],
    ['self.a.size() == "x"', ["1:15: found no matching overload for '_==_' applied to '(int, string)'"]],
    ['self.a && true', ["1:5: expected type 'bool' but found 'string'"]],
    ['!self.a', ["1:1: found no matching overload for '!_' applied to '(string)'"]],
    ['self.a ? true : false', ["1:8: found no matching overload for '_?_:_' applied to '(string, bool, bool)'"]],
    ['other == 1', ["1:1: undeclared reference to 'other' (in container '')"]],
    ['foo(self.a)', ["1:4: undeclared reference to 'foo' (in container '')"]],
    ['self.a.foo()', ["1:11: undeclared reference to 'foo' (in container '')"]],
    ['self.l.exists(x, y)', ["1:18: undeclared reference to 'y' (in container '')"]],
    ['true &&\n self.no', ["2:6: undefined field 'no'"]],
    [
      'self.m.a == "x" || self.nope == 1',
      ["1:10: found no matching overload for '_==_' applied to '(int, string)'", "1:24: undefined field 'nope'"],
    ],
  ])('%s', (rule, expected) => expect(problems(rule)).toEqual(expected));

  it('is shown with a pointer to the place', () => {
    const given =
      '{"Rule":"self.no","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}';
    expect(causesOf({ rule: 'self.no' })).toEqual([
      `.rule: Invalid value: ${given}: compilation failed: ERROR: <input>:1:5: undefined field 'no'\n | self.no\n | ....^`,
    ]);
  });

  it.each([
    ['is no truth', { rule: 'self.n + 1' }, /^\.rule: .*: cel expression must evaluate to a bool$/],
    ['is no CEL', { rule: 'self..a' }, /^\.rule: .*: compilation failed: ERROR: <input>:1:6: Syntax error: /],
    ['says nothing', { rule: ' ' }, /^\.rule: Required value: rule is not specified$/],
    ['has a message that is no text', { rule: 'true', messageExpression: 'self.n' }, /must evaluate to a string$/],
    [
      'has a message that is broken',
      { rule: 'true', messageExpression: 'self.no' },
      /^\.messageExpression: .*: messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'no'/,
    ],
    ['has a message of two lines', { rule: 'true', message: 'a\nb' }, /^\.message: .*: must not contain line breaks$/],
    [
      'has two lines and no message',
      { rule: 'true\n&& true' },
      /^\.message: Required value: message must be specified/,
    ],
    [
      'points nowhere',
      { rule: 'true', fieldPath: '.nope' },
      /^\.fieldPath: Invalid value: ".nope": must be a valid path$/,
    ],
    [
      'has a reason of its own',
      { rule: 'true', reason: 'Odd' },
      /^\.reason: Unsupported value: "Odd": supported values: /,
    ],
    [
      'needs no old value',
      { rule: 'true', optionalOldSelf: true },
      /^\.optionalOldSelf: .* oldSelf is not used in rule$/,
    ],
  ])('one that %s', (_, rule, expected) => {
    expect(causesOf(rule)).toEqual([expect.stringMatching(expected)]);
  });

  it('one about the old item of a list whose items have no names', () => {
    const items = { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] };
    expect(causesOf({ rule: 'true' }, { l: { type: 'array', items } })).toEqual([
      '.rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[spec].properties[l]',
    ]);
  });
});

describe('a rule that may be right is taken with its definition', () => {
  it.each([
    'self.nn > 1',
    'self.i == 1 || self.i == "x"',
    'type(self.i) == int ? self.i < 5 : self.i == "x"',
    'self.a__dash__b == ""',
    'dyn(self.a) == 1',
    'self == oldSelf',
    'self.l.all(x, x.startsWith("a")) && self.o.exists_one(x, x.w == 1)',
    'self.l.map(x, x + "b").filter(x, x.size() > 1).size() == 1',
    'self.m.all(key, self.m[key] > 0) && "a" in self.m && !(self.a in ["x", "y"])',
    'self.d < timestamp("2026-01-01T00:00:00Z") + duration("1h")',
    'self.?a.orValue("") == "" || optional.of(self.n).hasValue()',
    'isURL(self.a) && url(self.a).getHost() == "x"',
    'sets.contains(self.l, ["x"]) || !format.dns1123Label().validate(self.a).hasValue()',
    'self.l == [] || self.e.metadata.name == self.e.kind',
    'self.o[0].w + size(self.l) == int(self.nn) % 2',
  ])('%s', (rule) => expect(causesOf({ rule })).toEqual([]));

  it('as are all that our own kinds have', () => {
    const schemas = crds()
      .flatMap(({ spec }) => spec?.versions ?? [])
      .map(({ schema }) => schema?.openAPIV3Schema);
    expect(JSON.stringify(schemas)).toContain('x-kubernetes-validations');
    for (const schema of schemas) expect(checkSchema(schema as unknown as JsonObject, 's')).toEqual([]);
  });
});

describe('a schema', () => {
  const texts = (schema: JsonObject) => checkSchema(schema, 's').map(({ field, message }) => `${field}: ${message}`);

  it('that is not structural is told so in the order of the messages, and no more about its defaults and rules', () => {
    const spec = {
      properties: { a: {}, n: { type: 'integer', default: 'x' } },
      'x-kubernetes-validations': [{ rule: 'no' }],
    };
    expect(texts({ properties: { spec } })).toEqual([
      's.properties[spec].properties[a].type: Required value: must not be empty for specified object fields',
      's.properties[spec].type: Required value: must not be empty for specified object fields',
      's.type: Required value: must not be empty at the root',
    ]);
  });

  it('has maps of a known kind', () => {
    expect(texts({ type: 'object', 'x-kubernetes-map-type': 'odd' })).toEqual([
      's.x-kubernetes-map-type: Unsupported value: "odd": supported values: "atomic", "granular"',
    ]);
  });
});
