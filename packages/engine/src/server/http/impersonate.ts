import type { Api } from '../api.ts';
import type { User } from '../auth/user.ts';
import { badRequest } from '../errors.ts';
import { type HttpRequest, header } from './http-request.ts';

const EXTRA = 'impersonate-extra-';

/** Whom a request acts as: its sender, or somebody else whom the sender may impersonate. */
export function impersonate(api: Api, request: HttpRequest, user: User, refuse: () => Error): User {
  const name = header(request, 'impersonate-user');
  const groups = list(request, 'impersonate-group');
  const uid = header(request, 'impersonate-uid');
  const extra = extraOf(request);
  if (name === undefined) {
    if (groups.length === 0 && uid === undefined && Object.keys(extra).length === 0) return user;
    throw badRequest(`requested ${JSON.stringify(groups)} without impersonating a user`);
  }
  for (const [plural, target] of targets(name, groups)) {
    if (!mayImpersonate(api, user, plural, target)) throw refuse();
  }
  return {
    name,
    groups: [...new Set([...groups, ...implied(name)])],
    ...(uid === undefined ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function targets(name: string, groups: readonly string[]): readonly (readonly [string, string])[] {
  const [, , namespace, account] = name.split(':');
  const isAccount = name.startsWith('system:serviceaccount:') && namespace !== undefined && account !== undefined;
  const subject = isAccount ? (['serviceaccounts', `${namespace}/${account}`] as const) : (['users', name] as const);
  return [subject, ...groups.map((group) => ['groups', group] as const)];
}

/** Whoever is impersonated is also a member of the groups that everybody of the kind is in. */
function implied(name: string): readonly string[] {
  if (name === 'system:anonymous') return ['system:unauthenticated'];
  const [, kind, namespace] = name.split(':');
  const accounts =
    kind === 'serviceaccount' ? ['system:serviceaccounts', `system:serviceaccounts:${namespace ?? ''}`] : [];
  return [...accounts, 'system:authenticated'];
}

function mayImpersonate(api: Api, user: User, plural: string, target: string): boolean {
  const [first = '', second] = target.split('/');
  const isAccount = plural === 'serviceaccounts';
  const name = isAccount ? (second ?? '') : target;
  const namespace = isAccount ? first : '';
  const resource = { group: '', version: 'v1', plural, subresource: '', namespace, name };
  return api.authorizer.authorize({ user, verb: 'impersonate', path: '', resource }).isAllowed;
}

function list(request: HttpRequest, name: string): readonly string[] {
  const value = request.headers[name];
  if (value === undefined) return [];
  return Array.isArray(value) ? value : value.split(',').map((part) => part.trim());
}

function extraOf(request: HttpRequest): Readonly<Record<string, readonly string[]>> {
  const keys = Object.keys(request.headers).filter((key) => key.startsWith(EXTRA));
  return Object.fromEntries(keys.map((key) => [decodeURIComponent(key.slice(EXTRA.length)), list(request, key)]));
}
