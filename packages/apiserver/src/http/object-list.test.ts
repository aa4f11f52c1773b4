import { describe, expect, it } from 'vitest';
import type { StoredObject } from '../object/stored-object.ts';
import { ObjectList } from './object-list.ts';

const item = (name: string): StoredObject => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
});
const head = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '5' } };

describe('ObjectList', () => {
  it.each([
    ['without items', [], false],
    ['of one untyped item', [item('ä')], false],
    ['of several untyped items', [item('a'), item('b'), item('c')], false],
    ['of several typed items', [item('a'), item('b')], true],
  ] as const)('writes the same in pieces as at once: a list %s', (_, items, isTyped) => {
    const list = new ObjectList(head, items, isTyped);
    const text = Buffer.concat(list.pieces()).toString();
    expect(text).toBe(`${JSON.stringify(list)}\n`);
    const shown = items.map(({ metadata }) => (isTyped ? { kind: 'Pod', apiVersion: 'v1', metadata } : { metadata }));
    expect(JSON.parse(text)).toEqual({ ...head, items: shown });
  });
});
