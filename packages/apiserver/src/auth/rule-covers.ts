import type { PolicyRule } from './authorizer.ts';
import { ruleMatches } from './rule-matches.ts';

/** Whether all that a rule allows is allowed by others, taken together. */
export function ruleCovers(held: readonly PolicyRule[], wanted: PolicyRule): boolean {
  const user = { name: '', groups: [] };
  return wanted.verbs.every((verb) => {
    const paths = wanted.nonResourceURLs ?? [];
    if (!paths.every((path) => held.some((rule) => ruleMatches(rule, { user, verb, path })))) return false;
    return places(wanted).every((resource) =>
      held.some((rule) => ruleMatches(rule, { user, verb, path: '', resource })),
    );
  });
}

function places({ apiGroups = [], resources = [], resourceNames = [] }: PolicyRule) {
  const names = resourceNames.length === 0 ? [''] : resourceNames;
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      names.map((name) => {
        const [plural = '', subresource = ''] = resource.split('/');
        return { group, version: 'v1', plural, subresource, namespace: '', name };
      }),
    ),
  );
}
