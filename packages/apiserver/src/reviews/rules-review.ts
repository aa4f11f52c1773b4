import type { JsonObject } from '../object/json.ts';
import type { Api } from '../api.ts';
import { badRequest } from '../status/errors.ts';
import { textAt } from '../registry/json-path.ts';
import type { Scope } from '../requests/request.ts';

/** What the sender may do in a namespace, as rules. */
export function rulesReview(api: Api, { user }: Scope, review: JsonObject): JsonObject {
  const namespace = textAt(review, 'spec.namespace');
  if (namespace === '') throw badRequest('no namespace on request');
  const rules = api.authorizer.rulesFor(user, namespace);
  const ofResources = rules.filter(({ nonResourceURLs }) => nonResourceURLs === undefined);
  const ofPaths = rules.filter(({ nonResourceURLs }) => nonResourceURLs !== undefined);
  return {
    resourceRules: ofResources.map(({ verbs, apiGroups = [], resources = [], resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames === undefined ? {} : { resourceNames }),
    })),
    nonResourceRules: ofPaths.map(({ verbs, nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  };
}
