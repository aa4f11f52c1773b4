import { describe, expect, it } from 'vitest';
import { crdColumns } from './columns.ts';
import { humanDuration } from '@manta/api';
import { compileJsonPath } from './json-path.ts';
import { compareVersions } from './version-order.ts';

const object = {
  metadata: { creationTimestamp: '2026-01-01T00:00:00Z', labels: { 'ray.io/x': 'y' } },
  status: {
    replicas: 3,
    ratio: 1.5,
    done: true,
    conditions: [
      { type: 'A', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
  },
};

describe('a JSON path', () => {
  it.each([
    ['.status.replicas', [3]],
    ['.status.nothing', []],
    ['.status.conditions[0].type', ['A']],
    ['.status.conditions[-1].type', ['Ready']],
    ['.status.conditions[*].type', ['A', 'Ready']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ["['status']['replicas']", [3]],
    ['.metadata.labels.ray\\.io/x', ['y']],
  ])('%s is followed', (path, values) => expect(compileJsonPath(path)?.(object)).toEqual(values));

  it.each(['status', '.a[', '.a[?(@.b'])('%s is none', (path) => expect(compileJsonPath(path)).toBeUndefined());
});

describe('a column', () => {
  const cell = (type: string, jsonPath: string) =>
    crdColumns([{ name: 'x', type, jsonPath }])[0]?.cell(object, { nowMs: Date.parse('2026-01-01T00:05:30Z') });

  it.each([
    ['integer', '.status.replicas', 3],
    ['string', '.status.replicas', '3'],
    ['string', '.status.conditions[0]', '{"status":"False","type":"A"}'],
    ['number', '.status.ratio', 1.5],
    ['integer', '.status.ratio', 1],
    ['boolean', '.status.done', true],
    ['boolean', '.status.replicas', null],
    ['date', '.metadata.creationTimestamp', '5m30s'],
    ['date', '.status.done', null],
    ['string', '.status.nothing', null],
  ])('of type %s shows %s', (type, path, shown) => expect(cell(type, path)).toBe(shown));

  it('of the age is there where a definition has none', () => {
    expect(crdColumns(undefined).map(({ name, type }) => [name, type])).toEqual([['Age', 'date']]);
  });
});

describe('an age', () => {
  it.each([
    [-5000, '<invalid>'],
    [-1000, '0s'],
    [119_000, '119s'],
    [120_000, '2m'],
    [545_000, '9m5s'],
    [3_600_000, '60m'],
    [11_000_000, '3h3m'],
    [90_000_000, '25h'],
    [200_000_000, '2d7h'],
    [10 * 86_400_000, '10d'],
    [800 * 86_400_000, '2y70d'],
    [4000 * 86_400_000, '10y'],
  ])('of %i ms is %s', (milliseconds, shown) => expect(humanDuration(milliseconds)).toBe(shown));
});

it('versions are preferred by maturity, then by number', () => {
  const versions = ['v1alpha1', 'foo', 'v1', 'v1beta2', 'v2', 'v1beta1', 'bar', 'v10'];
  expect(versions.toSorted(compareVersions)).toEqual([
    'v10',
    'v2',
    'v1',
    'v1beta2',
    'v1beta1',
    'v1alpha1',
    'bar',
    'foo',
  ]);
});
