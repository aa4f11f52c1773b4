import { expect } from '../support/expect.ts';
import { bodyOf, madeOf, pathOf, samples } from '../support/samples.ts';
import type { Case, KubeObject, Target } from '../support/target.ts';

/** One case for each sample: what it becomes when it is created. */
export const cases: readonly Case[] = samples.map((sample) => ({
  title: `creating ${sample.apiVersion} ${sample.kind}${sample.about === '' ? '' : ` ${sample.about}`} fills in the defaults`,
  run: async (t: Target) => {
    const namespace = await t.namespace();
    const name = t.unique('sample');
    const answer = await t.request('POST', pathOf(sample, namespace), bodyOf(sample, namespace, name));
    expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
    const made = answer.body as KubeObject;
    expect(made).toMatchObject({ apiVersion: sample.apiVersion, kind: sample.kind });
    expect(made.metadata).toMatchObject({
      name,
      uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
      resourceVersion: expect.stringMatching(/^[1-9]\d*$/),
      creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    const owner = { operation: 'Update', apiVersion: sample.apiVersion, fieldsType: 'FieldsV1' };
    if (Object.keys(sample.sent).length > 0) expect(made.metadata.managedFields).toMatchObject([owner]);
    else expect(made.metadata).not.toHaveProperty('managedFields');
    expect(made.metadata.namespace).toBe(sample.isClusterScoped === true ? undefined : namespace);
    expect(madeOf(made, namespace)).toEqual(sample.made);
    if (sample.isClusterScoped === true) await t.request('DELETE', pathOf(sample, namespace, name));
  },
}));
