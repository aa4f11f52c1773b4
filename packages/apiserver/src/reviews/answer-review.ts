import { invalid as invalidValue } from '../field/cause.ts';
import { isObject, type JsonObject } from '../object/json.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { badRequest, invalid } from '../status/errors.ts';
import { textAt } from '../registry/json-path.ts';
import type { Scope, WriteParams } from '../requests/request.ts';
import { asStored } from '../object/stored-json.ts';
import { bindPod } from '../subresources/binding.ts';
import { decodeBody } from '../verbs/decode-body.ts';
import { accessReview, selfAccessReview } from './access-review.ts';
import { rulesReview } from './rules-review.ts';
import { selfReview, tokenReview } from './token-review.ts';

/** Answers a kind that is never stored: the request comes back with its status filled in. */
export async function answerReview(api: Api, scope: Scope, body: unknown, params: WriteParams): Promise<StoredObject> {
  const review = decodeBody(scope, body, params);
  if (scope.resource.info.kind === 'Binding') return await bindByBody(api, scope, review, params);
  return asStored({ ...withMetadata(review), status: statusOf(api, scope, review) });
}

function statusOf(api: Api, scope: Scope, review: JsonObject): JsonObject {
  switch (scope.resource.info.kind) {
    case 'SelfSubjectAccessReview':
      return selfAccessReview(api, scope, review);
    case 'SubjectAccessReview':
      return accessReview(api, review);
    case 'LocalSubjectAccessReview':
      return localReview(api, scope, review);
    case 'SelfSubjectRulesReview':
      return rulesReview(api, scope, review);
    case 'TokenReview':
      return tokenReview(api, review);
    default:
      return selfReview(scope);
  }
}

function localReview(api: Api, scope: Scope, review: JsonObject): JsonObject {
  const field = 'spec.resourceAttributes.namespace';
  const asked = textAt(review, field);
  if (asked !== scope.namespace) {
    const cause = invalidValue(field, asked, 'must match metadata.namespace');
    throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', [cause]);
  }
  return accessReview(api, review);
}

async function bindByBody(api: Api, scope: Scope, binding: JsonObject, params: WriteParams): Promise<StoredObject> {
  const pods = api.registry.find('', 'v1', 'pods');
  if (pods === undefined) throw badRequest('pods are not served');
  return await bindPod(api, { ...scope, ...pods, name: textAt(binding, 'metadata.name') }, binding, params);
}

function withMetadata(review: JsonObject): JsonObject {
  return isObject(review['metadata']) ? review : { ...review, metadata: {} };
}
