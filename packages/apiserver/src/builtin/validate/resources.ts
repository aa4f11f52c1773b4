import { compareQuantities, formatQuantity, parseQuantity, quantityMilliValue } from '@manta/api';
import { duplicate, forbidden, invalid, notFound, notSupported, required } from '../../field/cause.ts';
import { checkQualifiedName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { part, parts, text, textEntries } from '../read.ts';
import { aggregateRequest } from './aggregate-requests.ts';
import { type Causes, checkValue } from './check.ts';

const containerResources: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const counts = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const standardResources: ReadonlySet<string> = new Set([
  ...containerResources,
  ...[...containerResources].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...counts,
  'storage',
  'requests.storage',
]);
const integerResources: ReadonlySet<string> = new Set(counts);

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && checkQualifiedName(`requests.${name}`).length === 0;
}

/** The name of any resource. */
export function checkResourceName(name: string, field: string): Causes {
  const causes = checkValue(name, field, checkQualifiedName);
  if (causes.length > 0 || name.includes('/')) return causes;
  const isStandard = standardResources.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
  return isStandard ? [] : [invalid(field, name, 'must be a standard resource type or fully qualified')];
}

function checkContainerResourceName(name: string, field: string): Causes {
  const causes = checkResourceName(name, field);
  if (!name.includes('/')) {
    const isStandard = containerResources.has(name) || isHugePages(name);
    return isStandard ? causes : [...causes, invalid(field, name, 'must be a standard resource for containers')];
  }
  return isNative(name) || isExtended(name)
    ? causes
    : [...causes, invalid(field, name, "doesn't follow extended resource name standard")];
}

/** An amount of a resource: never negative, and whole where only whole ones exist. */
export function checkAmount(name: string, amount: string, field: string): Causes {
  const parsed = parseQuantity(amount);
  if (!parsed.ok) return [];
  const causes: Causes[number][] = [];
  if (parsed.value.nanos < 0n) causes.push(invalid(field, amount, 'must be greater than or equal to 0'));
  const isWhole = quantityMilliValue(parsed.value) % 1000n === 0n;
  if (!isWhole && (integerResources.has(name) || isExtended(name)))
    causes.push(invalid(field, amount, 'must be an integer'));
  return causes;
}

/** Checks what a container asks for. */
export function checkResources(container: JsonObject, path: string, claimNames: ReadonlySet<string>): Causes {
  const resources = part(container, 'resources');
  if (resources === undefined) return [];
  const at = `${path}.resources`;
  const limits = textEntries(resources, 'limits');
  const requests = textEntries(resources, 'requests');
  const names = [...limits, ...requests].map(([name]) => name);
  const needsMore = names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory');
  return [
    ...limits.flatMap(([name, amount]) => amountCauses(name, amount, `${at}.limits[${name}]`)),
    ...requests.flatMap(([name, amount]) => [
      ...amountCauses(name, amount, `${at}.requests[${name}]`),
      ...limitCauses(name, amount, text(part(resources, 'limits'), name), at),
    ]),
    ...(needsMore ? [forbidden(at, 'HugePages require cpu or memory')] : []),
    ...claimCauses(resources, `${at}.claims`, claimNames),
  ];
}

/** Checks what a pod asks for as a whole: only some resources can be given so. */
export function checkPodResources(spec: JsonObject, path: string): Causes {
  const resources = part(spec, 'resources');
  if (resources === undefined) return [];
  const at = `${path}.resources`;
  const own = (name: string, amount: string, field: string) => [
    ...podNameCauses(name, field),
    ...checkAmount(name, amount, field),
  ];
  return [
    ...textEntries(resources, 'limits').flatMap(([name, amount]) => own(name, amount, `${at}.limits[${name}]`)),
    ...textEntries(resources, 'requests').flatMap(([name, amount]) => [
      ...own(name, amount, `${at}.requests[${name}]`),
      ...aggregateCauses(spec, name, amount, `${at}.requests[${name}]`),
      ...limitCauses(name, amount, text(part(resources, 'limits'), name), at),
    ]),
    ...parts(spec, 'containers').flatMap((container, index) =>
      wholeCauses(container, resources, `${at}.containers[${index}]`),
    ),
  ];
}

function aggregateCauses(spec: JsonObject, name: string, request: string, field: string): Causes {
  const [whole, together] = [parseQuantity(request), aggregateRequest(spec, name)];
  if (!whole.ok || together === undefined || compareQuantities(whole.value, together) >= 0) return [];
  const problem = `must be greater than or equal to aggregate container requests of ${formatQuantity(together)}`;
  return [invalid(field, request, problem)];
}

function podNameCauses(name: string, field: string): Causes {
  const causes = checkResourceName(name, field);
  if (causes.length > 0 || name === 'cpu' || name === 'memory' || isHugePages(name)) return causes;
  return [notSupported(field, name, ['cpu', 'hugepages-', 'memory'])];
}

function wholeCauses(container: JsonObject, whole: JsonObject, path: string): Causes {
  return textEntries(part(container, 'resources'), 'limits').flatMap(([name, limit]) => {
    const [own, all] = [parseQuantity(limit), parseQuantity(text(part(whole, 'limits'), name))];
    if (!own.ok || !all.ok || compareQuantities(own.value, all.value) <= 0) return [];
    return [
      invalid(
        `${path}[${name}].limits`,
        limit,
        `must be less than or equal to pod limits of ${formatQuantity(all.value)}`,
      ),
    ];
  });
}

function amountCauses(name: string, amount: string, field: string): Causes {
  return [...checkContainerResourceName(name, field), ...checkAmount(name, amount, field)];
}

function limitCauses(name: string, request: string, limit: string, path: string): Causes {
  const isOvercommittable = isNative(name) && !isHugePages(name);
  const [asked, allowed] = [parseQuantity(request), parseQuantity(limit)];
  if (!allowed.ok || !asked.ok) {
    return isOvercommittable ? [] : [required(`${path}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantities(asked.value, allowed.value);
  const shown = formatQuantity(allowed.value);
  if (order !== 0 && !isOvercommittable)
    return [invalid(`${path}.requests`, request, `must be equal to ${name} limit of ${shown}`)];
  return order > 0
    ? [invalid(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${shown}`)]
    : [];
}

function claimCauses(resources: JsonObject, path: string, known: ReadonlySet<string>): Causes {
  const seen = new Set<string>();
  return parts(resources, 'claims').flatMap((claim, index) => {
    const name = text(claim, 'name');
    if (name === '') return [required(`${path}[${index}]`)];
    if (seen.has(name)) return [duplicate(`${path}[${index}]`, name)];
    seen.add(name);
    return known.has(name) ? [] : [notFound(`${path}[${index}]`, name)];
  });
}
