import type { Attributes, PolicyRule } from './authorizer.ts';

/** Whether a rule allows what is asked. */
export function ruleMatches(rule: PolicyRule, { verb, resource, path }: Attributes): boolean {
  if (!includes(rule.verbs, verb)) return false;
  if (resource === undefined) return (rule.nonResourceURLs ?? []).some((url) => pathMatches(url, path));
  return (
    includes(rule.apiGroups ?? [], resource.group) &&
    resourceMatches(rule.resources ?? [], resource.plural, resource.subresource) &&
    nameMatches(rule.resourceNames ?? [], resource.name)
  );
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

/** A star is every resource and subresource; a star before the slash is one subresource of every resource. */
function resourceMatches(list: readonly string[], plural: string, subresource: string): boolean {
  const wanted = subresource === '' ? plural : `${plural}/${subresource}`;
  return includes(list, wanted) || (subresource !== '' && list.includes(`*/${subresource}`));
}

function nameMatches(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name);
}

/** A path ends in `*` to mean all that begins like it. */
function pathMatches(url: string, path: string): boolean {
  if (url === '*' || url === path) return true;
  return url.endsWith('*') && path.startsWith(url.slice(0, -1));
}
