import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { changeObject, gone } from '../support/retry.ts';
import { bodyOf, pathOf, type Sample, samples } from '../support/samples.ts';
import type { Case, KubeObject, Target } from '../support/target.ts';

/** Kinds whose deletion answers the object instead of a Status. */
const answersObject = new Set([
  'Pod',
  'Service',
  'ServiceAccount',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'ResourceQuota',
  'PodTemplate',
  'StorageClass',
]);

/** Kinds whose generation counts changes of labels too. */
const countsLabels = new Set(['EndpointSlice']);

async function created(t: Target, sample: Sample): Promise<{ readonly namespace: string; readonly made: KubeObject }> {
  const namespace = await t.namespace();
  const name = t.unique('sample');
  const made = await t.must('POST', pathOf(sample, namespace), bodyOf(sample, namespace, name));
  return { namespace, made };
}

const groupOf = (sample: Sample) => (sample.apiVersion === 'v1' ? '' : (sample.apiVersion.split('/')[0] ?? ''));
const qualified = (sample: Sample) => (groupOf(sample) === '' ? sample.plural : `${sample.plural}.${groupOf(sample)}`);
const detailsOf = (sample: Sample, name: string) => ({
  name,
  ...(groupOf(sample) === '' ? {} : { group: groupOf(sample) }),
  kind: sample.plural,
});

function readCase(sample: Sample): Case {
  return {
    title: `${sample.apiVersion} ${sample.kind} can be read and listed`,
    run: async (t) => {
      const { namespace, made } = await created(t, sample);
      const { name, uid } = made.metadata;
      const path = pathOf(sample, namespace);
      expect(await t.must('GET', `${path}/${name}`)).toMatchObject({ kind: sample.kind, metadata: { name, uid } });
      const list = await t.list(`${path}?fieldSelector=metadata.name%3D${name}`);
      expect(list).toMatchObject({
        kind: `${sample.kind}List`,
        apiVersion: sample.apiVersion,
        metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
        items: [{ metadata: { name, uid } }],
      });
      expect(list.items[0]).not.toHaveProperty('kind');
      expect(list.items[0]).not.toHaveProperty('apiVersion');
      if (sample.isClusterScoped === true) await t.request('DELETE', `${path}/${name}`);
    },
  };
}

function writeCase(sample: Sample): Case {
  return {
    title: `${sample.apiVersion} ${sample.kind} can be labelled by an update, which ${countsLabels.has(sample.kind) ? 'counts as a generation' : 'is no new generation'}`,
    run: async (t) => {
      const { namespace, made } = await created(t, sample);
      const path = pathOf(sample, namespace, made.metadata.name);
      const { before, answer } = await changeObject(t, path, (object) => ({
        ...object,
        metadata: { ...object.metadata, labels: { ...object.metadata.labels, tested: 'yes' } },
      }));
      expect(answer.status).toBe(200);
      const after = answer.body as KubeObject;
      expect(after.metadata.labels).toMatchObject({ tested: 'yes' });
      expect(after.metadata.uid).toBe(made.metadata.uid);
      const step = countsLabels.has(sample.kind) ? 1 : 0;
      expect((after.metadata.generation ?? 0) - (before.metadata.generation ?? 0)).toBe(step);
      expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
      if (sample.isClusterScoped === true) await t.request('DELETE', path);
    },
  };
}

function deleteCase(sample: Sample): Case {
  const isObject = answersObject.has(sample.kind);
  return {
    title: `${sample.apiVersion} ${sample.kind} can be deleted, which answers ${isObject ? 'the object' : 'a Status'}; then it is not found`,
    run: async (t) => {
      const { namespace, made } = await created(t, sample);
      const { name, uid } = made.metadata;
      const path = pathOf(sample, namespace, name);
      const answer = await t.request('DELETE', `${path}?propagationPolicy=Background`);
      expect(answer.status).toBe(200);
      if (isObject) expect(answer.body).toMatchObject({ kind: sample.kind, metadata: { name, uid } });
      else
        expect(answer.body).toEqual({
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Success',
          details: { ...detailsOf(sample, name), uid },
        });
      await gone(t, path);
      for (const verb of ['GET', 'DELETE'])
        expectRefusal(await t.request(verb, path), {
          code: 404,
          reason: 'NotFound',
          message: `${qualified(sample)} "${name}" not found`,
          details: detailsOf(sample, name),
        });
    },
  };
}

function ownerCase(sample: Sample): Case {
  return {
    title: `${sample.apiVersion} ${sample.kind} belongs to who created it, field by field`,
    run: async (t) => {
      const namespace = await t.namespace();
      const path = pathOf(sample, namespace);
      const name = t.unique('sample');
      const made = await t.must('POST', `${path}?fieldManager=maker`, bodyOf(sample, namespace, name));
      const entry = { manager: 'maker', operation: 'Update', apiVersion: sample.apiVersion, fieldsType: 'FieldsV1' };
      const expected =
        sample.owned === undefined
          ? undefined
          : [{ ...entry, fieldsV1: sample.owned, time: expect.stringMatching(/Z$/) as unknown }];
      expect(made.metadata.managedFields).toEqual(expected);
      if (sample.isClusterScoped === true) await t.request('DELETE', `${path}/${name}`);
    },
  };
}

/** Reading, writing and deleting each kind, on its plain sample. */
export const cases: readonly Case[] = samples
  .filter((sample) => sample.about === '')
  .flatMap((sample) => [readCase(sample), ownerCase(sample), writeCase(sample), deleteCase(sample)]);
