import { expect, it } from 'vitest';
import { unknownFieldsIn } from './crd-age.ts';

it("unknownFieldsIn() reads every field out of the server's sentence", () => {
  const message =
    'RayCluster in version "v1" cannot be handled as a RayCluster: strict decoding error: unknown field "spec.tlsOptions", unknown field "spec.workerGroupSpecs[0].priority"';
  expect(unknownFieldsIn(message)).toEqual(['spec.tlsOptions', 'spec.workerGroupSpecs[0].priority']);
  expect(unknownFieldsIn('RayCluster.ray.io "x" is invalid')).toEqual([]);
});
