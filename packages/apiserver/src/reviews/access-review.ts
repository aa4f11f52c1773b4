import { invalid as invalidValue, required } from '../field/cause.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';
import type { Api } from '../api.ts';
import type { User } from '../auth/user.ts';
import { invalid } from '../status/errors.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import type { Scope } from '../requests/request.ts';

/** Whether the sender may do something. */
export function selfAccessReview(api: Api, { user }: Scope, review: JsonObject): JsonObject {
  return decide(api, user, review);
}

/** Answers an access review. */
export function accessReview(api: Api, review: JsonObject): JsonObject {
  const groups = valueAt(review, 'spec.groups');
  const name = textAt(review, 'spec.user');
  if (name === '' && !(Array.isArray(groups) && groups.length > 0)) {
    const cause = required('spec.user', 'at least one of user or group must be specified');
    throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', [cause]);
  }
  const texts = Array.isArray(groups) ? groups.filter((group): group is string => typeof group === 'string') : [];
  return decide(api, { name, groups: texts }, review);
}

function decide(api: Api, user: User, review: JsonObject): JsonObject {
  const spec = isObject(review['spec']) ? review['spec'] : {};
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (isObject(resourceAttributes) === isObject(nonResourceAttributes)) {
    const cause = isObject(resourceAttributes) ? bothCause(nonResourceAttributes) : NEITHER;
    throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', [cause]);
  }
  const { isAllowed, reason } = api.authorizer.authorize(attributes(user, resourceAttributes, nonResourceAttributes));
  return { allowed: isAllowed, ...(reason === '' ? {} : { reason }) };
}

const NEITHER = invalidValue(
  'spec.resourceAttributes',
  null,
  'exactly one of nonResourceAttributes or resourceAttributes must be specified',
);

function bothCause(value: Json | undefined): FieldCause {
  const { path = '', verb = '' } = isObject(value) ? value : {};
  const why = 'cannot be specified in combination with resourceAttributes';
  return invalidValue('spec.nonResourceAttributes', { Path: path, Verb: verb }, why);
}

function attributes(user: User, resource: unknown, path: unknown): Parameters<Api['authorizer']['authorize']>[0] {
  if (isObject(resource)) {
    const { verb, group, version, resource: plural, subresource, namespace, name } = resource;
    const named = {
      group: text(group),
      version: text(version),
      plural: text(plural),
      subresource: text(subresource),
      namespace: text(namespace),
      name: text(name),
    };
    return { user, verb: text(verb), path: '', resource: named };
  }
  const { verb, path: where } = isObject(path) ? path : {};
  return { user, verb: text(verb), path: text(where) };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
