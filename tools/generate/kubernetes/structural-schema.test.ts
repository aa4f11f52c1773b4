import { expect, it } from 'vitest';
import { fieldFacets, typeFacets } from './structural-schema.ts';

const core = 'io.k8s.api.core.v1';
const text = { type: 'string', default: '' };

it('leaves the zero default of a required field out, so that a missing field is noticed', () => {
  expect(fieldFacets(`${core}.EnvVar`, 'name', text, true)).toEqual({});
});

it('keeps the zero default of an optional field', () => {
  expect(fieldFacets(`${core}.LocalObjectReference`, 'name', text, false)).toEqual({ default: '' });
  expect(fieldFacets(`${core}.FileKeySelector`, 'optional', { type: 'boolean', default: false }, false)).toEqual({
    default: false,
  });
});

it('leaves the empty object out, which OpenAPI gives every struct as default', () => {
  expect(fieldFacets(`${core}.Pod`, 'spec', { default: {} }, false)).toEqual({});
});

it('leaves out a default that Go names by reference', () => {
  const field = { type: 'string', default: 'Shared' };
  expect(fieldFacets(`${core}.AzureDiskVolumeSource`, 'kind', field, false)).toEqual({});
  expect(fieldFacets(`${core}.ISCSIVolumeSource`, 'iscsiInterface', field, false)).toEqual({ default: 'Shared' });
});

it('adds the limits that only Go markers state', () => {
  const condition = 'io.k8s.apimachinery.pkg.apis.meta.v1.Condition';
  expect(fieldFacets(condition, 'status', text, true)).toEqual({ enum: ['True', 'False', 'Unknown'] });
});

it('sorts required fields and adds those that a marker requires', () => {
  expect(typeFacets(`${core}.PortStatus`, { required: ['protocol', 'port'] })).toEqual({
    required: ['error', 'port', 'protocol'],
  });
});

it('makes types that inline a reference atomic', () => {
  expect(typeFacets(`${core}.ConfigMapEnvSource`, {})).toEqual({ 'x-kubernetes-map-type': 'atomic' });
  expect(typeFacets(`${core}.EnvVar`, {})).toEqual({});
});
