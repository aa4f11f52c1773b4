import { goQuote } from '@manta/api';
import { deepEqual } from '../object/deep-equal.ts';
import { isObject, type JsonObject } from '../object/json.ts';
import type { ResourceName } from '../object/resource-info.ts';
import type { Store } from '../store/contract.ts';
import type { Authorizer, PolicyRule } from '../auth/authorizer.ts';
import { rulesOf } from '../auth/rbac.ts';
import { ruleCovers } from '../auth/rule-covers.ts';
import type { User } from '../auth/user.ts';
import { forbidden, notFound } from '../status/errors.ts';
import { textAt } from '../registry/json-path.ts';
import { metaText } from '../object/metadata.ts';
import type { Scope } from '../requests/request.ts';
import { asJson } from '../object/stored-json.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Users may grant, by a role or a binding, only permissions that they have, unless they may `escalate` or `bind`. */
export function rbacEscalation(store: Store, authorizer: Authorizer): AdmissionPlugin {
  return {
    validate(attributes) {
      const { scope, object, old } = attributes;
      if (scope.resource.info.group !== RBAC || object === undefined) return undefined;
      const { plural } = scope.resource.info;
      const isRole = plural === 'roles' || plural === 'clusterroles';
      if (isRole && old !== undefined && deepEqual(old['rules'], object['rules'])) return undefined;
      // Who may escalate or bind may also prepare a binding to a role that does not exist yet.
      if (isPermitted(authorizer, attributes, isRole)) return undefined;
      const granted = isRole ? rulesOf(object) : rulesOfBinding(store, scope, object);
      refuseMissing(authorizer, scope, metaText(object, 'name'), granted);
      return undefined;
    },
  };
}

function isPermitted(authorizer: Authorizer, { scope, object }: AdmissionAttributes, isRole: boolean): boolean {
  const { user, namespace, resource } = scope;
  const ref = isObject(object?.['roleRef']) ? object['roleRef'] : {};
  const plural = isRole ? resource.info.plural : ref['kind'] === 'Role' ? 'roles' : 'clusterroles';
  const name = isRole ? metaText(object ?? {}, 'name') : textAt(ref, 'name');
  const target = { group: RBAC, version: 'v1', plural, subresource: '', namespace, name };
  return authorizer.authorize({ user, verb: isRole ? 'escalate' : 'bind', path: '', resource: target }).isAllowed;
}

function rulesOfBinding(store: Store, scope: Scope, binding: JsonObject): readonly PolicyRule[] {
  const ref = isObject(binding['roleRef']) ? binding['roleRef'] : {};
  const isCluster = ref['kind'] === 'ClusterRole';
  const resource: ResourceName = isCluster ? `${RBAC}/clusterroles` : `${RBAC}/roles`;
  const name = textAt(ref, 'name');
  const role = store.get({ resource, namespace: isCluster ? '' : scope.namespace, name });
  // A missing role would be created later, with any rules: kube-apiserver refuses the binding in these words.
  if (role === undefined) throw notFound(scope.resource.info, name);
  return rulesOf(asJson(role));
}

function refuseMissing(authorizer: Authorizer, scope: Scope, name: string, granted: readonly PolicyRule[]): void {
  const held = authorizer.rulesFor(scope.user, scope.namespace);
  const missing = granted.flatMap((rule) => {
    const verbs = rule.verbs.filter((verb) => !ruleCovers(held, { ...rule, verbs: [verb] }));
    return verbs.length === 0 ? [] : [{ ...rule, verbs }];
  });
  if (missing.length === 0) return;
  const who = `user ${goQuote(scope.user.name)} (groups=${list(scope.user)})`;
  const why = `${who} is attempting to grant RBAC permissions not currently held:\n${missing.map(ruleText).join('\n')}`;
  throw forbidden(scope.resource.info, name, why);
}

function list({ groups }: User): string {
  return quoted(groups);
}

function quoted(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}

function ruleText({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  const parts = [
    ...(apiGroups === undefined ? [] : [`APIGroups:${quoted(apiGroups)}`]),
    ...(resources === undefined ? [] : [`Resources:${quoted(resources)}`]),
    ...(resourceNames === undefined || resourceNames.length === 0 ? [] : [`ResourceNames:${quoted(resourceNames)}`]),
    ...(nonResourceURLs === undefined ? [] : [`NonResourceURLs:${quoted(nonResourceURLs)}`]),
    `Verbs:${quoted(verbs)}`,
  ];
  return `{${parts.join(', ')}}`;
}
