import { describe, expect, it } from 'vitest';
import { jsonExcess } from './json-size.ts';

const limits = { answerDepth: 3, answerValues: 10 };
const excess = (text: string) => jsonExcess(Buffer.from(text), limits)?.what;

describe('jsonExcess', () => {
  const cases: Readonly<Record<string, readonly [string, string | undefined]>> = {
    'passes what is within the limits': ['{"a":[1,2,{"b":null}]}', undefined],
    'finds too many levels': ['[[[[1]]]]', 'levels'],
    'finds too many values in a list': [JSON.stringify(Array.from({ length: 11 }, () => 0)), 'values'],
    'finds too many values in an object': ['{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}', 'values'],
    'counts nothing within strings': [JSON.stringify('[[[[,,,,,,,,,,,,"\\"[[[['), undefined],
    'knows an escaped backslash before a closing quote': ['["\\\\",[[[1]]]]', 'levels'],
    'passes a string without an end to the parser': ['["abc\\"', undefined],
  };
  it.each(Object.entries(cases))('%s', (_, [text, what]) => {
    expect(excess(text)).toBe(what);
  });
});
