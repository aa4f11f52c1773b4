import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CRON_POLICY_FIELDS, type CustomResourceDefinition } from '@manta/api';
import { crds } from '@manta/api/crds';
import { sharedFolder } from '../support/shared-folder.ts';
import { crdDifferences, type Difference } from './crd-differences.ts';

/** Optional fields that we have and the peer has not, as `<crd> <path>`. */
const ourOwnFields: ReadonlySet<string> = new Set([
  'rayjobs.ray.io spec.versions.[v1].schema.openAPIV3Schema.properties.status.properties.attempts',
  'raycronjobs.ray.io spec.versions.[v1].schema.openAPIV3Schema.properties.status.properties.conditions',
  ...CRON_POLICY_FIELDS.map(
    (field) => `raycronjobs.ray.io spec.versions.[v1].schema.openAPIV3Schema.properties.spec.properties.${field}`,
  ),
]);

/** Columns that we have and the peer has not: they come after the peer's. */
const OUR_COLUMN = /^\S+ spec\.versions\.\[\w+\]\.additionalPrinterColumns\.\[(?:reason|message)\]$/;

const folder = join(sharedFolder(), 'reference', 'crds');

const peers: readonly CustomResourceDefinition[] = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => parse(readFileSync(join(folder, file), 'utf8')) as CustomResourceDefinition);

const nameOf = (crd: CustomResourceDefinition): string => crd.metadata?.name ?? '';

function peerOf(crd: CustomResourceDefinition): CustomResourceDefinition {
  const peer = peers.find((other) => nameOf(other) === nameOf(crd));
  if (peer === undefined) throw new Error(`The peer has no CRD named ${nameOf(crd)}.`);
  return peer;
}

function isOurOwnField(crd: CustomResourceDefinition, { path, peers: other }: Difference): boolean {
  const place = `${nameOf(crd)} ${path}`;
  return other === undefined && (ourOwnFields.has(place) || OUR_COLUMN.test(place));
}

describe('the CRDs', () => {
  it("are the peer's four", () => {
    expect(crds().map(nameOf).toSorted()).toEqual(peers.map(nameOf).toSorted());
  });

  for (const crd of crds()) {
    it(`${nameOf(crd)} differs from the peer's in descriptions only`, () => {
      const found = crdDifferences(crd, peerOf(crd)).filter((difference) => !isOurOwnField(crd, difference));
      expect(found).toEqual([]);
    });
  }
});

/** What the comparison has to notice: a change to the JSON text of the RayJob CRD, and the path that it must report. */
const sabotage: Readonly<Record<string, readonly [from: string, to: string, path: RegExp]>> = {
  'a changed default': ['"default":"K8sJobMode"', '"default":"HTTPMode"', /submissionMode\.default$/],
  'a missing default': ['"default":"K8sJobMode",', '', /submissionMode\.default$/],
  'a changed CEL rule': [
    'has(self.jobStatus) ||',
    'has(self.jobStatus) &&',
    /condition.*x-kubernetes-validations.*rule$/,
  ],
  'a changed message of a rule': [
    'the managedBy field is immutable',
    'managedBy is immutable',
    /validations.*message$/,
  ],
  'a missing rule list': [
    '"x-kubernetes-validations":[{"message":"JobStatus and',
    '"x-nothing":[{"message":"JobStatus and',
    /condition\.x-kubernetes-validations$/,
  ],
  'a changed enum': ['"SUCCEEDED","FAILED"', '"FAILED","SUCCEEDED"', /jobStatus\.enum\.\[0\]$/],
  'a changed minimum': ['"minimum":1', '"minimum":0', /preRunningDeadlineSeconds\.minimum$/],
  'a missing minItems': ['"minItems":1,', '', /deletionRules\.minItems$/],
  'a changed format': [
    '"format":"int32","type":"integer"}',
    '"format":"int64","type":"integer"}',
    /activeDeadlineSeconds\.format$/,
  ],
  'another list type': [
    '"x-kubernetes-list-type":"atomic"',
    '"x-kubernetes-list-type":"set"',
    /x-kubernetes-list-type$/,
  ],
  'another map key': ['"x-kubernetes-list-map-keys":["name"]', '"x-kubernetes-list-map-keys":["key"]', /list-map-keys/],
  'a renamed field': ['"entrypointNumCpus"', '"entrypointNumCPUs"', /properties\.entrypointNumC/],
  'a field that is no longer required': ['"required":["condition","policy"]', '"required":["condition"]', /required/],
  'another order of printer columns': [
    '"name":"job status"',
    '"name":"status"',
    /additionalPrinterColumns\.\[status\]/,
  ],
  'a missing subresource': ['"subresources":{"status":{}}', '"subresources":{}', /subresources\.status$/],
  'another deprecation warning': ['unavailable in KubeRay 1.9', 'unavailable in KubeRay 2.0', /deprecationWarning$/],
  'another stored version': ['"storage":true', '"storage":false', /versions\.\[v1\]\.storage$/],
  'another category': ['"categories":["all"]', '"categories":["ray"]', /names\.categories\.\[0\]$/],
};

describe('the comparison', () => {
  const rayJob = crds().find((crd) => nameOf(crd) === 'rayjobs.ray.io');
  const text = JSON.stringify(rayJob);

  for (const [what, [from, to, path]] of Object.entries(sabotage)) {
    it(`notices ${what}`, () => {
      expect(text).toContain(from);
      const changed: unknown = JSON.parse(text.replace(from, to));
      expect(crdDifferences(changed, rayJob).map((difference) => difference.path)).toContainEqual(
        expect.stringMatching(path),
      );
    });
  }

  it('looks past descriptions, but not past a field that is called description', () => {
    const one = { properties: { a: { type: 'string', description: 'one' } } };
    expect(crdDifferences(one, { properties: { a: { type: 'string' } } })).toEqual([]);
    const named = { properties: { description: { type: 'string' } } };
    expect(crdDifferences(named, { properties: {} })).toHaveLength(1);
  });

  it('takes required fields in any order', () => {
    expect(crdDifferences({ required: ['a', 'b'] }, { required: ['b', 'a'] })).toEqual([]);
  });
});
