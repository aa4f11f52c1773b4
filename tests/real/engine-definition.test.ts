import { crds } from '@manta/api/crds';
import { describe, expect, it } from 'vitest';
import { builtinKinds, createBuiltinStrategy } from '../../packages/apiserver/src/builtin/index.ts';
import type { JsonObject } from '../../packages/apiserver/src/object/json.ts';
import { createBy, realOutcome } from '../support/engine-answer.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import type { Answered } from './ray-api.ts';

const plane = sharedControlPlane();
const kind = builtinKinds.find((each) => each.kind === 'CustomResourceDefinition')!;

function definition(): Answered {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'things', kind: 'Thing' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

function withVersion(more: object): Answered {
  const crd = definition();
  Object.assign(crd.spec.versions[0], more);
  return crd;
}

function withSpecSchema(schema: object): Answered {
  return withVersion({ schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } } });
}

function withNames(more: object): Answered {
  const crd = definition();
  Object.assign(crd.spec.names, more);
  return crd;
}

function withSpec(more: object): Answered {
  const crd = definition();
  Object.assign(crd.spec, more);
  return crd;
}

/** The definition under another group, since another test may have installed it under its own. */
function elsewhere(crd: Answered): Answered {
  const name = `${crd.spec.names.plural}.test.ray.io`;
  return { ...crd, metadata: { name }, spec: { ...crd.spec, group: 'test.ray.io' } };
}

const cases: Readonly<Record<string, Answered>> = {
  'the least': definition(),
  'another name': { ...definition(), metadata: { name: 'x.example.com' } },
  'no group': withSpec({ group: undefined }),
  'a group without a dot': { ...withSpec({ group: 'example' }), metadata: { name: 'things.example' } },
  'an unknown scope': withSpec({ scope: 'Galaxy' }),
  'no scope': withSpec({ scope: undefined }),
  'no versions': withSpec({ versions: [] }),
  'no storage version': withVersion({ storage: false }),
  'a version twice': withSpec({
    versions: [...definition().spec.versions, { ...definition().spec.versions[0], storage: false }],
  }),
  'a version with a bad name': withVersion({ name: 'V1' }),
  'a warning without deprecation': withVersion({ deprecationWarning: 'x' }),
  'no schema': withVersion({ schema: undefined }),
  'a field without a type': withSpecSchema({}),
  'a field of an unknown type': withSpecSchema({ type: 'text' }),
  'a list without items': withSpecSchema({ type: 'array' }),
  'items without a type': withSpecSchema({ type: 'array', items: {} }),
  'a root that is no object': withVersion({ schema: { openAPIV3Schema: { type: 'string' } } }),
  'properties and additional ones': withSpecSchema({
    type: 'object',
    properties: { a: { type: 'string' } },
    additionalProperties: { type: 'string' },
  }),
  'unique items': withSpecSchema({ type: 'array', items: { type: 'string' }, uniqueItems: true }),
  'a type inside of anyOf': withSpecSchema({ type: 'object', anyOf: [{ type: 'object' }] }),
  'a list type on a string': withSpecSchema({ type: 'string', 'x-kubernetes-list-type': 'map' }),
  'a default of another type': withSpecSchema({ type: 'object', properties: { a: { type: 'string', default: 3 } } }),
  'an empty rule': withSpecSchema({ type: 'object', 'x-kubernetes-validations': [{ rule: '' }] }),
  'unknown fields that stay': withSpecSchema({ 'x-kubernetes-preserve-unknown-fields': true }),
  'a bad kind': withNames({ kind: 'Bad_Kind' }),
  'a list kind like the kind': withNames({ listKind: 'Thing' }),
  'a bad short name': withNames({ shortNames: ['Bad'] }),
  'bad columns': withVersion({
    additionalPrinterColumns: [
      { name: '', type: 'x', jsonPath: 'a' },
      { name: 'b', type: 'string', jsonPath: '.spec.a' },
    ],
  }),
  'bad paths of the scale': withVersion({
    subresources: { scale: { specReplicasPath: '.x.y', statusReplicasPath: '' } },
  }),
  'an unknown conversion': withSpec({ conversion: { strategy: 'Alchemy' } }),
  ...Object.fromEntries(crds().map((crd) => [`our own ${crd.spec.names.kind}`, elsewhere(crd)])),
};

describe('the engine answers the creation of a CustomResourceDefinition as the real server does:', () => {
  it.each(Object.entries(cases))('%s', async (_, crd) => {
    const object: JsonObject = JSON.parse(JSON.stringify(crd));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
    const real = realOutcome(await plane.request('POST', path, object));
    expect(createBy(createBuiltinStrategy(kind), kind, object)).toEqual(real);
  });
});
