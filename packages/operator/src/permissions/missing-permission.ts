import { ApiError, isForbidden } from '@manta/kube';
import { describePermission } from './permission.ts';

/** The API server's message for a missing RBAC permission, as opposed to a rejection by a quota or a webhook. */
const DENIED =
  /cannot (?<verb>[a-z]+) resource "(?<path>[^"]+)" in API group "(?<group>[^"]*)"(?: in the namespace "(?<namespace>[^"]+)")?/;
const ESCALATED = /attempting to grant RBAC permissions not currently held:?\s*(?<rules>.*)/s;

/** The missing permission from a 403 response, with the rule that grants it; undefined for other rejections. */
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
