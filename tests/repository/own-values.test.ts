import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Objects inherit `constructor`, `valueOf` and the like. Code that reads a map by a key from outside (a label, a data key, a header, a field
 * name, a word of a request) must not find them: it uses `ownValue` of `@manta/base`, a Map, or checks with `Object.hasOwn` on the same line.
 */
const root = resolve(import.meta.dirname, '../..');

/** Tables whose keys are a union type or come from Node, so that no key is foreign. */
const COMPLETE_TABLES: ReadonlySet<string> = new Set(
  'KEYCTL END_OF METHODS LINE_START DESCRIPTIONS NAMESPACE_FLAGS SPEC_OPERATORS emptyType'.split(' '),
);
/** Names of numbers: lists are read by them. */
const NUMBERS: ReadonlySet<string> = new Set(
  'i index at start next n odd low high middle differing code this.l this.r number string'.split(' '),
);
/** Keys of a fixed set of fields, spelled out by the code itself. */
const FIXED_FIELDS: ReadonlySet<string> = new Set('which stream signal'.split(' '));

/** Lines of code without comments and without the text of strings. */
function codeOf(text: string): readonly string[] {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .split('\n')
    .map((line) => withoutTexts(line.replace(/^\s*\/\/.*$/, '')));
}

/** Texts are emptied; of templates, the expressions stay. */
function withoutTexts(line: string): string {
  const plain = line.replaceAll(/'(?:[^'\\]|\\.)*'/g, "''");
  return plain.replaceAll(/`[^`]*`/g, (template) =>
    [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, code]) => code).join('; '),
  );
}

/** Reads `map[key]` and `map?.[key]` by a name or a constant, as `map` and `key`. */
const READ =
  /(\w[\w$]*)(?:\?\.)?\[((?!Math\.|existingIndex)[A-Za-z_$][\w$]*(?:\.[\w$]+|\([^[\]]*\))*(?: \?\? '')?)\](?!\s*(?:=[^=>]|\?\?=|\+=))/g;

function inheritedReads(line: string): readonly string[] {
  if (
    line.includes('Object.hasOwn(') ||
    /\bdelete /.test(line) ||
    /\bkeyof |^\s*(export )?(type|interface) /.test(line)
  )
    return [];
  return [...line.matchAll(READ)].flatMap(([whole, map = '', key = '']) => {
    const isConstantKey = /^[A-Z][A-Z0-9_]*$/.test(key);
    const isKnown = COMPLETE_TABLES.has(map) || NUMBERS.has(key) || FIXED_FIELDS.has(key) || isConstantKey;
    return isKnown ? [] : [whole];
  });
}

describe('maps of foreign keys', () => {
  const files = globSync('packages/{apiserver,controllers,kubelet,local}/src/**/*.ts', { cwd: root }).filter(
    (path) => !/\.(test|gen)\.ts$|\/testing\/|(plain\/shim|supervisor\/seal-tools)\.ts$/.test(path),
  );

  it('are never read through the prototype', () => {
    const found = files.flatMap((path) =>
      codeOf(readFileSync(join(root, path), 'utf8')).flatMap((line, index) =>
        inheritedReads(line).map((read) => `${path}:${index + 1}: ${read}: use ownValue() of @manta/base`),
      ),
    );
    expect(files.length).toBeGreaterThan(100);
    expect(found).toEqual([]);
  });
});

describe('the check for reads through the prototype', () => {
  it.each([
    'const a = labels[key];',
    'x(metadata.labels?.[name])',
    'return data[entry.key] ?? 1;',
    'TYPES[read(x).type]',
  ])('finds %s', (line) => {
    expect(inheritedReads(line)).toHaveLength(1);
  });

  it.each(['list[index]', 'map[ANNOTATION]', 'fields[name] = value;', 'Object.hasOwn(a, key) ? a[key] : undefined'])(
    'allows %s',
    (line) => {
      expect(inheritedReads(line)).toEqual([]);
    },
  );
});
