import { ApiError, isForbidden } from '@manta/kube';
import { describePermission } from './permission.ts';

/** How the API server says that nobody has granted a request, as opposed to a quota or a webhook that refuses it. */
const DENIED =
  /cannot (?<verb>[a-z]+) resource "(?<path>[^"]+)" in API group "(?<group>[^"]*)"(?: in the namespace "(?<namespace>[^"]+)")?/;
const ESCALATED = /attempting to grant RBAC permissions not currently held:?\s*(?<rules>.*)/s;

/** The permission that an answer says we lack, with the rule that grants it; undefined when it was refused for another reason. */
export function missingPermission(error: unknown): string | undefined {
  return error instanceof ApiError && isForbidden(error) ? missingPermissionIn(error.message) : undefined;
}

/** The same from the server's own words. */
export function missingPermissionIn(message: string): string | undefined {
  const { verb, path, group = '', namespace } = DENIED.exec(message)?.groups ?? {};
  if (verb !== undefined && path !== undefined) {
    const [resource = '', subresource] = path.split('/');
    const permission = describePermission({ verb, group, resource, subresource, namespace });
    return `${permission} (rule: apiGroups ["${group}"], resources ["${path}"], verbs ["${verb}"])`;
  }
  const rules = ESCALATED.exec(message)?.groups?.['rules'];
  return rules === undefined ? undefined : `grant what it does not hold itself: ${rules.trim()}`;
}
