import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { ResourceName } from '../object/resource-info.ts';
import type { Store } from '../store/contract.ts';
import { asJson } from '../object/stored-json.ts';
import { type Authorizer, EVERYTHING, type PolicyRule } from './authorizer.ts';
import { ruleMatches } from './rule-matches.ts';
import { MASTERS, type User } from './user.ts';

const RBAC = 'rbac.authorization.k8s.io';
const CLUSTER_ROLES: ResourceName = `${RBAC}/clusterroles`;
const ROLES: ResourceName = `${RBAC}/roles`;
const CLUSTER_BINDINGS: ResourceName = `${RBAC}/clusterrolebindings`;
const BINDINGS: ResourceName = `${RBAC}/rolebindings`;

interface Grant {
  readonly rule: PolicyRule;
  readonly reason: string;
}

/** Decides by the stored roles and bindings, as they are at the moment of the request. */
export function rbacAuthorizer(store: Store): Authorizer {
  return {
    authorize(attributes) {
      if (attributes.user.groups.includes(MASTERS)) return { isAllowed: true, reason: '' };
      const namespace = attributes.resource?.namespace ?? '';
      for (const { rule, reason } of grants(store, attributes.user, namespace)) {
        if (ruleMatches(rule, attributes)) return { isAllowed: true, reason };
      }
      return { isAllowed: false, reason: '' };
    },
    rulesFor(user, namespace) {
      if (user.groups.includes(MASTERS)) return EVERYTHING;
      return [...grants(store, user, namespace)].map(({ rule }) => rule);
    },
  };
}

/** Every rule of a user, cluster-wide rules first. */
function* grants(store: Store, user: User, namespace: string): Iterable<Grant> {
  for (const stored of store.list(CLUSTER_BINDINGS)) {
    const binding = asJson(stored);
    const name = stored.metadata.name;
    yield* granted(
      store,
      binding,
      user,
      '',
      (role, subject) => `ClusterRoleBinding "${name}" of ${role} to ${subject}`,
    );
  }
  if (namespace === '') return;
  for (const stored of store.list(BINDINGS, { namespace })) {
    const binding = asJson(stored);
    const name = `${stored.metadata.name}/${namespace}`;
    yield* granted(
      store,
      binding,
      user,
      namespace,
      (role, subject) => `RoleBinding "${name}" of ${role} to ${subject}`,
    );
  }
}

function* granted(
  store: Store,
  binding: JsonObject,
  user: User,
  namespace: string,
  describe: (role: string, subject: string) => string,
): Iterable<Grant> {
  const subjects = Array.isArray(binding['subjects']) ? binding['subjects'].filter(isObject) : [];
  const subject = subjects.find((candidate) => isSubject(candidate, user, namespace));
  const ref = binding['roleRef'];
  if (subject === undefined || !isObject(ref)) return;
  const isCluster = ref['kind'] === 'ClusterRole';
  const name = text(ref['name']);
  const key = { resource: isCluster ? CLUSTER_ROLES : ROLES, namespace: isCluster ? '' : namespace, name };
  const role = store.get(key);
  if (role === undefined) return;
  const reason = `RBAC: allowed by ${describe(`${text(ref['kind'])} "${name}"`, subjectText(subject, namespace))}`;
  for (const rule of rulesOf(asJson(role))) yield { rule, reason };
}

function subjectText(subject: JsonObject, namespace: string): string {
  const kind = text(subject['kind']);
  const name = text(subject['name']);
  if (kind !== 'ServiceAccount') return `${kind} "${name}"`;
  return `${kind} "${name}/${text(subject['namespace']) || namespace}"`;
}

function isSubject(subject: JsonObject, user: User, namespace: string): boolean {
  const name = text(subject['name']);
  switch (subject['kind']) {
    case 'User':
      return user.name === name;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount': {
      const home = text(subject['namespace']) || namespace;
      return home !== '' && user.name === `system:serviceaccount:${home}:${name}`;
    }
    default:
      return false;
  }
}

/** The rules of a stored role. */
export function rulesOf(role: JsonObject): readonly PolicyRule[] {
  const rules = Array.isArray(role['rules']) ? role['rules'].filter(isObject) : [];
  return rules.map((rule) => ({
    verbs: texts(rule['verbs']),
    ...optional('apiGroups', rule['apiGroups']),
    ...optional('resources', rule['resources']),
    ...optional('resourceNames', rule['resourceNames']),
    ...optional('nonResourceURLs', rule['nonResourceURLs']),
  }));
}

function optional<K extends string>(key: K, value: Json | undefined): Partial<Record<K, readonly string[]>> {
  // One key of the record is all that there is.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return value === undefined ? {} : ({ [key]: texts(value) } as Record<K, readonly string[]>);
}

function texts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
