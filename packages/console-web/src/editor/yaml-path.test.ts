import { describe, expect, it } from 'vitest';
import { kindAt, positionAt } from './yaml-path.ts';

/** The position of the bar in a text. */
function at(text: string) {
  const before = text.slice(0, text.indexOf('|')).split('\n');
  const lines = text.replace('|', '').split('\n');
  return positionAt(lines, before.length - 1, before.at(-1)?.length ?? 0);
}

describe('positionAt()', () => {
  it.each<[string, string, readonly string[]]>([
    ['the root', 'ki|', []],
    ['a mapping', 'spec:\n  entry|', ['spec']],
    ['an empty line', 'spec:\n  suspend: true\n  |', ['spec']],
    ['a list item', 'spec:\n  workerGroupSpecs:\n    - group|', ['spec', 'workerGroupSpecs']],
    ['a later field of a list item', 'spec:\n  groups:\n    - name: a\n      rep|', ['spec', 'groups']],
    ['a list at the column of its key', 'spec:\n  groups:\n  - name: a\n    rep|', ['spec', 'groups']],
    ['a second item', 'a:\n- b: 1\n  c: 2\n- d|', ['a']],
    ['the second document', 'a:\n  b: 1\n---\nc:\n  d|', ['c']],
  ])('finds the mapping of %s', (_, text, path) => {
    expect(at(text)?.path).toEqual(path);
  });

  it('distinguishes keys from values', () => {
    expect(at('spec:\n  suspend: tr|')).toMatchObject({ key: 'suspend', isValue: true });
    expect(at('spec:\n  sus|pend: true')).toMatchObject({ key: 'suspend', isValue: false });
  });

  it('knows the other keys of the mapping', () => {
    expect(at('a: 1\nb:\n  c: 2\n|\nd: 3')?.siblings.toSorted()).toEqual(['a', 'b', 'd']);
    expect(at('l:\n  - x: 1\n    y|\n    z: 3\n  - q: 1')?.siblings.toSorted()).toEqual(['x', 'z']);
  });

  it('answers nothing in comments and in block scalars', () => {
    expect(at('a: 1 # x\n# no|')).toBeUndefined();
    expect(at('spec:\n  runtimeEnvYAML: |\n    pip:\n      - req'.replace('|', '>') + '|')).toBeUndefined();
  });
});

describe('kindAt()', () => {
  it('reads the kind of the document around a line', () => {
    const lines = 'kind: RayJob\n---\nkind: "RayCluster"\nspec:'.split('\n');
    expect([kindAt(lines, 0), kindAt(lines, 3)]).toEqual(['RayJob', 'RayCluster']);
  });
});
