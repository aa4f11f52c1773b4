import { ownValue } from '@manta/base';
import { isZeroQuantity, parseQuantity } from '@manta/api';
import { invalid, notSupported, required } from '../../field/cause.ts';
import { type CheckText, checkLabelName, checkQualifiedName, checkSubdomainName } from '../../field/names.ts';
import { regexError } from '../../field/regex-error.ts';
import type { JsonObject } from '../../object/json.ts';
import { part, text } from '../read.ts';
import { type Causes, checkNamed, checkParts, checkValue } from './check.ts';
import { checkNoBacksteps } from './file-path.ts';

const envFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** Fields of a pod that its volumes may show. */
export const volumeFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const allFields: ReadonlySet<string> = new Set([...envFields, ...volumeFields]);
const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

/** The name of an environment variable: anything printable but the equals sign. */
export const checkEnvName: CheckText = (name) => {
  if (name === '') return ['environment variable name must be non-empty'];
  if (/^[\x20-\x7e]*$/.test(name) && !name.includes('=')) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
};

/** A key of a config map or a secret. */
export const checkConfigKey: CheckText = (key) => {
  const problems: string[] = [];
  if (key.length > 253) problems.push('must be no more than 253 characters');
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(regexError(message, '[-._a-zA-Z0-9]+', 'key.name', 'KEY_NAME', 'key-name'));
  }
  if (key === '.' || key === '..') problems.push(`must not be '${key}'`);
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
};

/** Checks the environment of a container. */
export function checkEnv(container: JsonObject, path: string): Causes {
  return [
    ...checkParts(container, 'env', path, (variable, at) => [
      ...checkNamed(variable, 'name', at, checkEnvName),
      ...valueFromCauses(variable, `${at}.valueFrom`),
    ]),
    ...checkParts(container, 'envFrom', path, (source, at) => envFromCauses(source, at, `${path}.envFrom`)),
  ];
}

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

function valueFromCauses(variable: JsonObject, path: string): Causes {
  const from = part(variable, 'valueFrom');
  if (from === undefined) return [];
  const given = sources.filter((key) => ownValue(from, key) !== undefined);
  const causes = given.flatMap((key) => sourceCauses(key, part(from, key) ?? {}, `${path}.${key}`));
  const problem = sourceProblem(given.length, text(variable, 'value') !== '');
  return problem === '' ? causes : [...causes, invalid(path, '', problem)];
}

function sourceProblem(count: number, hasValue: boolean): string {
  if (count === 0)
    return 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
  if (hasValue) return 'may not be specified when `value` is not empty';
  return count > 1 ? 'may not have more than one field specified at a time' : '';
}

function sourceCauses(key: (typeof sources)[number], source: JsonObject, path: string): Causes {
  switch (key) {
    case 'fieldRef':
      return checkFieldRef(source, path, envFields);
    case 'resourceFieldRef':
      return checkResourceRef(source, path, false);
    case 'fileKeyRef':
      return [
        ...checkNamed(source, 'key', path, checkEnvName),
        ...checkNamed(source, 'volumeName', path, checkLabelName),
        ...(text(source, 'path') === ''
          ? [required(`${path}.path`)]
          : checkNoBacksteps(text(source, 'path'), `${path}.path`)),
      ];
    default:
      return [
        ...checkValue(text(source, 'name'), `${path}.name`, checkSubdomainName),
        ...checkNamed(source, 'key', path, checkConfigKey),
      ];
  }
}

/** Checks a reference to a field of the pod itself. */
export function checkFieldRef(ref: JsonObject, path: string, allowed: readonly string[]): Causes {
  const field = text(ref, 'fieldPath');
  if (field === '') return [required(`${path}.fieldPath`)];
  const [, base = field, key] = /^(.*?)\['(.*)'\]$/.exec(field) ?? [];
  const isConvertible =
    key === undefined ? allFields.has(base) : base === 'metadata.annotations' || base === 'metadata.labels';
  if (!isConvertible) {
    return [
      invalid(
        `${path}.fieldPath`,
        field,
        `error converting fieldPath: field label not supported: ${key === undefined ? field : base}`,
      ),
    ];
  }
  if (key !== undefined)
    return checkValue(base === 'metadata.labels' ? key : key.toLowerCase(), path, checkQualifiedName);
  return allowed.includes(field) ? [] : [notSupported(`${path}.fieldPath`, field, allowed)];
}

const divisors = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';

/** Checks a reference to an amount that a container of the pod asks for. */
export function checkResourceRef(ref: JsonObject, path: string, isVolume: boolean): Causes {
  const resource = text(ref, 'resource');
  const causes: Causes[number][] = [];
  if (isVolume && text(ref, 'containerName') === '') causes.push(required(`${path}.containerName`));
  else if (resource === '') causes.push(required(`${path}.resource`));
  else if (!resourceFields.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    causes.push(notSupported(`${path}.resource`, resource, resourceFields));
  }
  const problem = divisorProblem(resource, text(ref, 'divisor'));
  return problem === '' ? causes : [...causes, invalid(`${path}.divisor`, resource, problem)];
}

function divisorProblem(resource: string, divisor: string): string {
  const parsed = parseQuantity(divisor);
  if (!parsed.ok || isZeroQuantity(parsed.value)) return '';
  const [, kind = ''] = /^(?:limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-)/.exec(resource) ?? [];
  if (kind === 'cpu')
    return divisor === '1m' || divisor === '1'
      ? ''
      : "only divisor's values 1m and 1 are supported with the cpu resource";
  const names: Readonly<Record<string, string>> = {
    memory: 'memory',
    'ephemeral-storage': 'local ephemeral storage',
    'hugepages-': 'hugepages',
  };
  if (ownValue(names, kind) === undefined || divisors.split(', ').includes(divisor)) return '';
  return `only divisor's values ${divisors} are supported with the ${ownValue(names, kind)} resource`;
}

function envFromCauses(source: JsonObject, path: string, listPath: string): Causes {
  const causes: Causes[number][] = [];
  const prefix = text(source, 'prefix');
  if (prefix !== '') causes.push(...checkValue(prefix, `${path}.prefix`, checkEnvName));
  const given = ['configMapRef', 'secretRef'].filter((key) => ownValue(source, key) !== undefined);
  for (const key of given)
    causes.push(...checkNamed(part(source, key) ?? {}, 'name', `${path}.${key}`, checkPrefixName));
  if (given.length === 0) causes.push(invalid(listPath, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (given.length > 1) causes.push(invalid(listPath, '', 'may not have more than one field specified at a time'));
  return causes;
}

/** Here, and only here, names of config maps and secrets are checked like prefixes of names. */
const checkPrefixName: CheckText = (name) =>
  checkSubdomainName(name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name);
