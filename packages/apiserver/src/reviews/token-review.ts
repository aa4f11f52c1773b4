import type { JsonObject } from '../object/json.ts';
import type { Api } from '../api.ts';
import type { User } from '../auth/user.ts';
import { badRequest } from '../status/errors.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import type { Scope } from '../requests/request.ts';

/** Whose token a token is. */
export function tokenReview(api: Api, review: JsonObject): JsonObject {
  if (textAt(review, 'spec.token') === '') {
    throw badRequest('token is required for TokenReview in authentication');
  }
  const asked = valueAt(review, 'spec.audiences');
  const audiences = Array.isArray(asked) ? asked.filter((name): name is string => typeof name === 'string') : undefined;
  const found = api.tokens?.verify(textAt(review, 'spec.token'), audiences);
  if (found === undefined) {
    return { user: {}, error: '[invalid bearer token, token lookup failed]' };
  }
  return { authenticated: true, user: userInfo(found.user), audiences: found.audiences };
}

/** Who the sender is. */
export function selfReview({ user }: Scope): JsonObject {
  return { userInfo: userInfo(user) };
}

/** A user as authentication.k8s.io writes it. */
export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  };
}
