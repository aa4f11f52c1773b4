import { rayCluster, rayClusterSpec, workerGroup } from '@manta/api/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerReview, WEBHOOKS, type Webhook } from './review.ts';

const webhookOf = (kind: string): Webhook => {
  const found = WEBHOOKS.find(({ path }) => path === `/validate-ray-io-v1-${kind}`);
  if (found === undefined) throw new Error(`no webhook for ${kind}`);
  return found;
};
const raycluster = webhookOf('raycluster');

function review(request: object, webhook = raycluster) {
  const text = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u1', ...request },
  });
  const answer = answerReview(webhook, text);
  return { status: answer.status, ...JSON.parse(answer.body) };
}

describe('a review', () => {
  it('of a good cluster is answered with its uid and a yes', () => {
    expect(review({ operation: 'CREATE', object: rayCluster('demo') })).toEqual({
      status: 200,
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      response: { uid: 'u1', allowed: true },
    });
  });

  it('of groups with one name is a no that names the field', () => {
    const spec = rayClusterSpec({ workerGroupSpecs: [workerGroup('a'), workerGroup('a')] });
    const { response } = review({ operation: 'UPDATE', object: { ...rayCluster('demo'), spec } });
    expect(response.allowed).toBe(false);
    expect(response.status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: expect.stringContaining(
        'spec.workerGroupSpecs[1]: Invalid value: "a": worker group names must be unique',
      ),
    });
  });

  it.each(['rayjob', 'rayservice', 'raycluster'])('of a %s with a dot in its name is a no', (kind) => {
    const { response } = review(
      { operation: 'CREATE', object: { metadata: { name: 'a.b' }, spec: {} } },
      webhookOf(kind),
    );
    expect(response.status.message).toContain('is invalid: metadata.name: Invalid value: "a.b"');
  });

  it('of a deletion is a yes, whatever the object looks like', () => {
    expect(review({ operation: 'DELETE', object: null }).response.allowed).toBe(true);
  });

  it('carries warnings beside the yes', () => {
    const object = { ...rayCluster('demo'), spec: rayClusterSpec({ autoscalerOptions: {} }) };
    expect(review({ operation: 'CREATE', object }).response.warnings).toEqual([expect.stringContaining('no effect')]);
  });

  it('without an object is a no, not a crash', () => {
    expect(review({ operation: 'CREATE' }).response).toMatchObject({ allowed: false, status: { code: 400 } });
  });
});

describe('a body that is no review', () => {
  it.each([
    ['not JSON', '<html>', 'not a JSON object'],
    ['a list', '[]', 'not a JSON object'],
    ['nothing', '', 'not a JSON object'],
    ['another version', '{"apiVersion":"admission.k8s.io/v1beta1"}', 'apiVersion is "admission.k8s.io/v1beta1"'],
    ['no version', '{}', 'apiVersion is missing'],
    ['no request', '{"apiVersion":"admission.k8s.io/v1"}', 'request.uid is missing'],
  ])('(%s) gets a 400 that says what is wrong', (_, text, reason) => {
    const answer = answerReview(raycluster, text);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).message).toContain(reason);
  });

  it('never does harm, however strange: ten thousand bodies', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json({ maxDepth: 4 }),
      fc
        .record({
          operation: fc.constantFrom('CREATE', 'UPDATE', 'DELETE', 'x'),
          object: fc.jsonValue(),
          oldObject: fc.jsonValue(),
        })
        .map((request) => JSON.stringify({ apiVersion: 'admission.k8s.io/v1', request: { uid: 'u', ...request } })),
      fc
        .record({
          metadata: fc.jsonValue(),
          spec: fc.record({ workerGroupSpecs: fc.jsonValue(), headGroupSpec: fc.jsonValue() }),
        })
        .map((object) =>
          JSON.stringify({
            apiVersion: 'admission.k8s.io/v1',
            request: { uid: 'u', operation: 'UPDATE', object, oldObject: object },
          }),
        ),
    );
    fc.assert(
      fc.property(anything, fc.constantFrom(...WEBHOOKS), (text, webhook) => {
        const { status, body } = answerReview(webhook, text);
        expect([200, 400]).toContain(status);
        JSON.parse(body);
      }),
      { numRuns: 10_000 },
    );
  });
});
