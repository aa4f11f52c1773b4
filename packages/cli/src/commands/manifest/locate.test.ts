import { LineCounter, parseDocument } from 'yaml';
import { describe, expect, it } from 'vitest';
import { locate } from './locate.ts';

const text = `apiVersion: ray.io/v1
metadata:
  annotations:
    ray.io/ft-enabled: "true"
spec:
  workerGroupSpecs:
    - groupName: a
    - groupName: b
      replicas: -1
`;
const lines = new LineCounter();
const document = parseDocument(text, { lineCounter: lines });

describe('locate()', () => {
  it.each([
    ['spec.workerGroupSpecs[1].replicas', 9, 7],
    ['spec.workerGroupSpecs[1].missing', 8, 7],
    ['spec.workerGroupSpecs', 6, 3],
    ['metadata.annotations.ray.io/ft-enabled', 4, 5],
    ['metadata.annotations[ray.io/ft-enabled]', 4, 5],
    ['spec.nothing.here', 5, 1],
    ['kind', 1, 1],
    ['', 1, 1],
  ])('finds %s', (path, line, column) => {
    expect(locate(document, lines, path)).toEqual({ line, column });
  });
});
