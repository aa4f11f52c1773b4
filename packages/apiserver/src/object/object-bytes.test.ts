import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, ObjectBytes, untypedBytesOf } from './object-bytes.ts';
import type { StoredObject } from './stored-object.ts';

const metadata = { name: 'ä', uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };

describe('bytesOf()', () => {
  it('is the JSON of an object, made once', () => {
    const object: StoredObject = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { text: '"\n\u{1f600}' } };
    expect(JSON.parse(bytesOf(object).toString())).toEqual(object);
    expect(bytesOf(object)).toBe(bytesOf(object));
    expect(bytesOf({ ...object })).not.toBe(bytesOf(object));
  });
});

describe('untypedBytesOf()', () => {
  it('leaves out the type, wherever it stands', () => {
    const fields = fc.uniqueArray(fc.constantFrom('apiVersion', 'kind', 'metadata', 'spec', 'a"b'), { minLength: 3 });
    fc.assert(
      fc.property(fields, fc.string({ unit: 'binary' }), (names, text) => {
        const all: Record<string, unknown> = { apiVersion: text, kind: `K${text}`, metadata, spec: [text], 'a"b': 1 };
        const object = Object.fromEntries(['metadata', ...names].toSorted().map((name) => [name, all[name]]));
        const { apiVersion: _a, kind: _k, ...rest } = object;
        expect(`{${untypedBytesOf(object as unknown as StoredObject).toString()}`).toBe(JSON.stringify(rest));
      }),
    );
  });
});

describe('ObjectBytes', () => {
  const objects = Array.from({ length: 10 }, (_, i) => ({ i }));

  it('keeps what is asked for again, and forgets what two generations of others have pushed out', () => {
    const bytes = new ObjectBytes(20);
    const [kept = {}, forgotten = {}, ...others] = objects;
    const [first, second] = [bytes.of(kept), bytes.of(forgotten)];
    for (const other of others) {
      bytes.of(other);
      bytes.of(kept);
    }
    expect(bytes.of(kept)).toBe(first);
    expect(bytes.of(forgotten)).not.toBe(second);
    expect(bytes.of(forgotten)).toEqual(second);
  });
});
