import { deepEqual } from '../../object/deep-equal.ts';
import { invalid, notSupported, required } from '../../field/cause.ts';
import { GoStruct } from '../../field/go-json.ts';
import { checkPathSegment, checkSubdomainName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { part, parts, text, texts } from '../read.ts';
import { type Causes, checkOptional } from './check.ts';
import { checkSelector } from './selector.ts';

const group = 'rbac.authorization.k8s.io';

/** Checks a role, of a namespace or of the cluster. */
export function checkRole(isNamespaced: boolean): (object: JsonObject) => Causes {
  return (object) => [
    ...parts(object, 'rules').flatMap((rule, index) => ruleCauses(rule, `rules[${index}]`, isNamespaced)),
    ...aggregationCauses(object),
  ];
}

function ruleCauses(rule: JsonObject, path: string, isNamespaced: boolean): Causes {
  const urls = texts(rule, 'nonResourceURLs');
  const causes: Causes[number][] =
    texts(rule, 'verbs').length === 0 ? [required(`${path}.verbs`, 'verbs must contain at least one value')] : [];
  if (urls.length > 0) {
    const field = `${path}.nonResourceURLs`;
    if (isNamespaced) causes.push(invalid(field, urls, 'namespaced rules cannot apply to non-resource URLs'));
    if (['apiGroups', 'resources', 'resourceNames'].some((key) => texts(rule, key).length > 0)) {
      causes.push(invalid(field, urls, 'rules cannot apply to both regular resources and non-resource URLs'));
    }
    return causes;
  }
  if (texts(rule, 'apiGroups').length === 0)
    causes.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  if (texts(rule, 'resources').length === 0)
    causes.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  return causes;
}

function aggregationCauses(object: JsonObject): Causes {
  const rule = part(object, 'aggregationRule');
  if (rule === undefined) return [];
  const selectors = parts(rule, 'clusterRoleSelectors');
  const field = 'aggregationRule.clusterRoleSelectors';
  if (selectors.length === 0) {
    return [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, index) => {
    const key = `clusterRoleSelectors[${index}]`;
    const causes = checkSelector({ [key]: selector }, key, 'aggregationRule');
    return causes.length === 0 ? [] : [...causes, invalid(`aggregationRule.${key}`, null, 'invalid label selector.')];
  });
}

/** Checks the binding of a role, in a namespace or in the cluster. */
export function checkBinding(isNamespaced: boolean): (object: JsonObject) => Causes {
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return (object) => {
    const ref = part(object, 'roleRef') ?? {};
    const [apiGroup, kind] = [text(ref, 'apiGroup'), text(ref, 'kind')];
    return [
      ...(apiGroup === group ? [] : [notSupported('roleRef.apiGroup', apiGroup, [group])]),
      ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
      ...(text(ref, 'name') === ''
        ? [required('roleRef.name')]
        : checkOptional(ref, 'name', 'roleRef', checkPathSegment)),
      ...parts(object, 'subjects').flatMap((subject, index) =>
        subjectCauses(subject, `subjects[${index}]`, isNamespaced),
      ),
    ];
  };
}

function subjectCauses(subject: JsonObject, path: string, isNamespaced: boolean): Causes {
  const [kind, apiGroup] = [text(subject, 'kind'), text(subject, 'apiGroup')];
  const causes: Causes[number][] = text(subject, 'name') === '' ? [required(`${path}.name`)] : [];
  switch (kind) {
    case 'ServiceAccount':
      causes.push(...checkOptional(subject, 'name', path, checkSubdomainName));
      if (apiGroup !== '') causes.push(notSupported(`${path}.apiGroup`, apiGroup, ['']));
      if (!isNamespaced && text(subject, 'namespace') === '') causes.push(required(`${path}.namespace`));
      return causes;
    case 'User':
    case 'Group':
      return apiGroup === group ? causes : [...causes, notSupported(`${path}.apiGroup`, apiGroup, [group])];
    default:
      return [...causes, notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

/** Who is bound may change, to what may not. */
export function checkBindingUpdate(isNamespaced: boolean): (object: JsonObject, old: JsonObject) => Causes {
  const check = checkBinding(isNamespaced);
  return (object, old) => {
    const causes = check(object);
    if (deepEqual(object['roleRef'], old['roleRef'])) return causes;
    const ref = part(object, 'roleRef') ?? {};
    const shown = new GoStruct({ APIGroup: text(ref, 'apiGroup'), Kind: text(ref, 'kind'), Name: text(ref, 'name') });
    return [...causes, invalid('roleRef', shown, 'cannot change roleRef')];
  };
}
