import type { Api } from '../api.ts';
import { parseAccountName } from '../auth/account-name.ts';
import { ANONYMOUS, type User } from '../auth/user.ts';
import { badRequest } from '../status/errors.ts';
import { headerValues, type HttpRequest, rawHeaders } from './http-request.ts';

const EXTRA = 'impersonate-extra-';
const AUTHENTICATION = 'authentication.k8s.io';

/** Whom a request acts as: its sender, or another user whom the sender may impersonate. Refuses like kube-apiserver. */
export function impersonate(api: Api, request: HttpRequest, user: User, refuse: () => Error): User {
  const wanted = wantedUser(request);
  if (wanted === undefined) return user;
  for (const target of targetsOf(wanted)) {
    const resource = { version: 'v1', subresource: '', namespace: '', ...target };
    if (!api.authorizer.authorize({ user, verb: 'impersonate', path: '', resource }).isAllowed) throw refuse();
  }
  const { name, uid, extra } = wanted;
  return {
    name,
    groups: groupsOf(wanted),
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

interface WantedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

function wantedUser(request: HttpRequest): WantedUser | undefined {
  const [name = ''] = headerValues(request, 'impersonate-user');
  const [uid = ''] = headerValues(request, 'impersonate-uid');
  const groups = headerValues(request, 'impersonate-group');
  const extra = extraOf(request);
  if (name !== '') return { name, uid, groups, extra };
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  const asked = JSON.stringify({ uid, groups, extra });
  throw badRequest(`requested ${asked} without impersonating a user name: set the header Impersonate-User`);
}

interface Target {
  readonly group: string;
  readonly plural: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name: string;
}

/** What the sender must be allowed to impersonate: the user or service account, the UID, each group, each extra value. */
function targetsOf({ name, uid, groups, extra }: WantedUser): readonly Target[] {
  const account = parseAccountName(name);
  return [
    account === undefined ? { group: '', plural: 'users', name } : { group: '', plural: 'serviceaccounts', ...account },
    ...(uid === '' ? [] : [{ group: AUTHENTICATION, plural: 'uids', name: uid }]),
    ...groups.map((group) => ({ group: '', plural: 'groups', name: group })),
    ...Object.entries(extra).flatMap(([subresource, values]) =>
      values.map((value) => ({ group: AUTHENTICATION, plural: 'userextras', subresource, name: value })),
    ),
  ];
}

/**
 * The groups of the impersonated user. Only a complete service account name implies groups, and only if the request names none; the name of
 * any other user implies nothing but `system:authenticated`.
 */
function groupsOf({ name, groups }: WantedUser): readonly string[] {
  const account = parseAccountName(name);
  const own =
    account === undefined || groups.length > 0
      ? groups
      : ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  if (name === ANONYMOUS.name) return [...new Set([...own, 'system:unauthenticated'])];
  return own.includes('system:unauthenticated') ? own : [...new Set([...own, 'system:authenticated'])];
}

function extraOf(request: HttpRequest): Readonly<Record<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const [header, value] of rawHeaders(request)) {
    if (!header.startsWith(EXTRA)) continue;
    const key = unescapeKey(header);
    found.set(key, [...(found.get(key) ?? []), value]);
  }
  return Object.fromEntries(found);
}

function unescapeKey(header: string): string {
  try {
    return decodeURIComponent(header.slice(EXTRA.length));
  } catch {
    throw badRequest(
      `header "${header}": the part after "${EXTRA}" is not valid percent-encoding; write a literal % as %25`,
    );
  }
}
