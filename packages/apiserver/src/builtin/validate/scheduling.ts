import { deepEqual } from '../../object/deep-equal.ts';
import { duplicate, invalid, notSupported, required } from '../../field/cause.ts';
import { checkLabelName, checkLabelValue, checkQualifiedName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { number, part, parts, text, texts } from '../read.ts';
import { type Causes, checkOptionalOneOf, checkParts, checkValue } from './check.ts';
import { checkNodeTerm, checkSelector } from './selector.ts';

const requiredKey = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredKey = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Checks where a pod wants to run. */
export function checkAffinity(spec: JsonObject, path: string): Causes {
  const affinity = part(spec, 'affinity');
  if (affinity === undefined) return [];
  return [
    ...nodeAffinityCauses(part(affinity, 'nodeAffinity'), `${path}.affinity.nodeAffinity`),
    ...['podAffinity', 'podAntiAffinity'].flatMap((key) => {
      const at = `${path}.affinity.${key}`;
      return [
        ...checkParts(part(affinity, key), requiredKey, at, podTermCauses),
        ...checkParts(part(affinity, key), preferredKey, at, (term, termPath) => [
          ...weightCauses(term, termPath),
          ...podTermCauses(part(term, 'podAffinityTerm') ?? {}, `${termPath}.podAffinityTerm`),
        ]),
      ];
    }),
  ];
}

function nodeAffinityCauses(affinity: JsonObject | undefined, path: string): Causes {
  const must = part(affinity, requiredKey);
  const at = `${path}.${requiredKey}`;
  const isEmpty = must !== undefined && parts(must, 'nodeSelectorTerms').length === 0;
  return [
    ...(isEmpty ? [required(`${at}.nodeSelectorTerms`, 'must have at least one node selector term')] : []),
    ...checkParts(must, 'nodeSelectorTerms', at, (term, termPath) => checkNodeTerm(term, termPath)),
    ...checkParts(affinity, preferredKey, path, (term, termPath) => [
      ...weightCauses(term, termPath),
      ...checkNodeTerm(part(term, 'preference') ?? {}, `${termPath}.preference`, false),
    ]),
  ];
}

function weightCauses(term: JsonObject, path: string): Causes {
  const weight = number(term, 'weight') ?? 0;
  return weight >= 1 && weight <= 100 ? [] : [invalid(`${path}.weight`, weight, 'must be in the range 1-100')];
}

function podTermCauses(term: JsonObject, path: string): Causes {
  const topology = text(term, 'topologyKey');
  return [
    ...checkSelector(term, 'labelSelector', path),
    ...checkSelector(term, 'namespaceSelector', path),
    ...texts(term, 'namespaces').flatMap((name) => checkValue(name, `${path}.namespace`, checkLabelName)),
    ...(topology === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...checkValue(topology, `${path}.topologyKey`, checkQualifiedName),
  ];
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Checks what a pod puts up with. */
export function checkTolerations(spec: JsonObject, path: string): Causes {
  return checkParts(spec, 'tolerations', path, (toleration, at) => {
    const [key, operator, effect] = [text(toleration, 'key'), text(toleration, 'operator'), text(toleration, 'effect')];
    const causes: Causes[number][] = key === '' ? [] : [...checkValue(key, `${at}.key`, checkQualifiedName)];
    if (key === '' && operator !== 'Exists') {
      const problem = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      causes.push(invalid(`${at}.operator`, operator, problem));
    }
    if (toleration['tolerationSeconds'] !== undefined && effect !== 'NoExecute') {
      causes.push(invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    causes.push(...operatorCauses(operator, text(toleration, 'value'), at));
    if (effect !== '' && !effects.includes(effect)) causes.push(notSupported(`${at}.effect`, effect, effects));
    return causes;
  });
}

function operatorCauses(operator: string, value: string, path: string): Causes {
  const field = `${path}.operator`;
  if (operator === 'Equal' || operator === '') {
    const problems = checkLabelValue(value);
    return problems.length === 0 ? [] : [invalid(field, value, problems.join(';'))];
  }
  if (operator !== 'Exists') {
    const isComparison = operator === 'Lt' || operator === 'Gt';
    return [notSupported(field, operator, ['Equal', 'Exists', ...(isComparison ? ['Lt', 'Gt'] : [])])];
  }
  return value === '' ? [] : [invalid(field, value, "value must be empty when `operator` is 'Exists'")];
}

/** Checks how a pod's siblings are spread. */
export function checkSpread(spec: JsonObject, path: string): Causes {
  const all = parts(spec, 'topologySpreadConstraints');
  return checkParts(spec, 'topologySpreadConstraints', path, (constraint, at) => {
    const skew = number(constraint, 'maxSkew') ?? 0;
    const topology = text(constraint, 'topologyKey');
    const action = text(constraint, 'whenUnsatisfiable');
    const actions = ['DoNotSchedule', 'ScheduleAnyway'];
    const causes: Causes[number][] = [];
    if (skew <= 0) causes.push(invalid(`${at}.maxSkew`, skew, 'must be greater than zero'));
    if (topology === '') causes.push(required(`${at}.topologyKey`, 'can not be empty'));
    if (!actions.includes(action)) causes.push(notSupported(`${at}.whenUnsatisfiable`, action, actions));
    const pair = { topologyKey: topology, whenUnsatisfiable: action };
    const later = all.slice(all.indexOf(constraint) + 1);
    if (
      later.some((other) =>
        deepEqual(
          { topologyKey: text(other, 'topologyKey'), whenUnsatisfiable: text(other, 'whenUnsatisfiable') },
          pair,
        ),
      )
    ) {
      causes.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topology}, ${action}}`));
    }
    return [
      ...causes,
      ...domainCauses(constraint, at, action),
      ...checkOptionalOneOf(constraint, 'nodeAffinityPolicy', at, ['Honor', 'Ignore']),
      ...checkOptionalOneOf(constraint, 'nodeTaintsPolicy', at, ['Honor', 'Ignore']),
      ...checkSelector(constraint, 'labelSelector', at),
    ];
  });
}

function domainCauses(constraint: JsonObject, path: string, action: string): Causes {
  const domains = number(constraint, 'minDomains');
  if (domains === undefined) return [];
  const field = `${path}.minDomains`;
  return [
    ...(domains <= 0 ? [invalid(field, domains, 'must be greater than zero')] : []),
    ...(action === 'DoNotSchedule'
      ? []
      : [invalid(field, domains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`)]),
  ];
}
