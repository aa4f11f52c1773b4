import { describe, expect, it } from 'vitest';
import { evaluateJsonPath } from './json-path.ts';

const list = {
  items: [
    { metadata: { name: 'a', labels: { 'ray.io/cluster': 'c' } }, status: { state: 'ready', n: 1 } },
    { metadata: { name: 'b' }, status: { state: 'failed', n: 2 } },
  ],
};

describe('evaluateJsonPath()', () => {
  it.each([
    ['{.items[*].metadata.name}', 'a b'],
    ['{.items[0].status.n}', '1'],
    ['{.items[-1].metadata.name}', 'b'],
    ['.items[1].status.state', 'failed'],
    ['{.items[?(@.status.state=="ready")].metadata.name}', 'a'],
    ['{.items[0].metadata.labels.ray\\.io/cluster}', 'c'],
    ["{.items[0].metadata.labels['ray.io/cluster']}", 'c'],
    ['{range .items[*]}{.metadata.name}={.status.n}{"\\n"}{end}', 'a=1\nb=2\n'],
    ['{.items[0].status}', '{"state":"ready","n":1}'],
    ['{.nothing.there}', ''],
    ['{.constructor}', ''],
    ['name: {.items[0].metadata.name}!', 'name: a!'],
  ])('reads %s', (template, expected) => {
    expect(evaluateJsonPath(template, list)).toBe(expected);
  });

  it.each(['{.items[}', '{.items', '{range .items[*]}x', '{end}'])('refuses %s', (template) => {
    expect(() => evaluateJsonPath(template, list)).toThrow(/^-o jsonpath: /);
  });
});
