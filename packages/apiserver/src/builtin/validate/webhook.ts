import { duplicate, invalid, notSupported, required } from '../../field/cause.ts';
import { checkServiceName, checkSubdomainName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { number, part, parts, text, texts } from '../read.ts';
import { type Causes, checkOptionalOneOf, checkParts, checkPort } from './check.ts';
import { checkSelector } from './selector.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

/** Checks a configuration of webhooks. */
export function checkWebhooks(object: JsonObject): Causes {
  const names = new Set<string>();
  return parts(object, 'webhooks').flatMap((hook, index) => {
    const at = `webhooks[${index}]`;
    const name = text(hook, 'name');
    const repeated = name !== '' && names.has(name) ? [duplicate(`${at}.name`, name)] : [];
    names.add(name);
    return [...hookCauses(hook, at), ...reviewCauses(hook, at), ...repeated];
  });
}

function hookCauses(hook: JsonObject, path: string): Causes {
  const seconds = number(hook, 'timeoutSeconds');
  const effects = ['None', 'NoneOnDryRun'];
  const isOut = seconds !== undefined && (seconds > 30 || seconds < 1);
  return [
    ...nameCauses(text(hook, 'name'), `${path}.name`),
    ...checkParts(hook, 'rules', path, ruleCauses),
    ...checkOptionalOneOf(hook, 'failurePolicy', path, ['Fail', 'Ignore']),
    ...checkOptionalOneOf(hook, 'matchPolicy', path, ['Equivalent', 'Exact']),
    ...(typeof hook['sideEffects'] === 'string'
      ? checkOptionalOneOf(hook, 'sideEffects', path, effects)
      : [required(`${path}.sideEffects`, `must specify one of ${effects.join(', ')}`)]),
    ...(isOut
      ? [invalid(`${path}.timeoutSeconds`, seconds, 'the timeout value must be between 1 and 30 seconds')]
      : []),
    ...checkSelector(hook, 'namespaceSelector', path),
    ...checkSelector(hook, 'objectSelector', path),
    ...clientCauses(part(hook, 'clientConfig') ?? {}, `${path}.clientConfig`),
  ];
}

function nameCauses(name: string, field: string): Causes {
  if (name === '') return [required(field)];
  const problems = checkSubdomainName(name);
  if (problems.length > 0) return [invalid(field, name, problems.join(','))];
  return name.split('.').length < 3
    ? [invalid(field, name, 'should be a domain with at least three segments separated by dots')]
    : [];
}

function ruleCauses(rule: JsonObject, path: string): Causes {
  const asked = texts(rule, 'operations');
  const starred = (key: string, what: string) => {
    const list = texts(rule, key);
    if (list.length === 0) return [required(`${path}.${key}`)];
    return list.length > 1 && list.includes('*')
      ? [invalid(`${path}.${key}`, list, `if '*' is present, must not specify other ${what}`)]
      : [];
  };
  return [
    ...starred('operations', 'operations'),
    ...asked.flatMap((each, index) =>
      operations.includes(each) ? [] : [notSupported(`${path}.operations[${index}]`, each, operations)],
    ),
    ...starred('apiGroups', 'API groups'),
    ...starred('apiVersions', 'API versions'),
    ...texts(rule, 'apiVersions').flatMap((version, index) =>
      version === '' ? [required(`${path}.apiVersions[${index}]`)] : [],
    ),
    ...(texts(rule, 'resources').length === 0 ? [required(`${path}.resources`)] : []),
    ...checkOptionalOneOf(rule, 'scope', path, ['*', 'Cluster', 'Namespaced']),
  ];
}

function clientCauses(config: JsonObject, path: string): Causes {
  const service = part(config, 'service');
  const url = config['url'];
  if ((url === undefined) === (service === undefined))
    return [required(path, 'exactly one of url or service is required')];
  if (service === undefined) return typeof url === 'string' ? urlCauses(url, `${path}.url`) : [];
  const port = number(service, 'port') ?? 0;
  return [
    ...['name', 'namespace']
      .filter((key) => text(service, key) === '')
      .map((key) => required(`${path}.service.${key}`)),
    ...(checkPort(port, '').length === 0
      ? []
      : [invalid(`${path}.service.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]),
  ];
}

const form = '; desired format: https://host[/path]';

function urlCauses(given: string, field: string): Causes {
  if (!URL.canParse(given))
    return [
      invalid(field, '', `'https' is the only allowed URL scheme${form}`),
      invalid(field, '', `host must be specified${form}`),
    ];
  const url = new URL(given);
  const scheme = url.protocol.slice(0, -1);
  return [
    ...(scheme === 'https' ? [] : [invalid(field, scheme, `'https' is the only allowed URL scheme${form}`)]),
    ...(url.host === '' ? [invalid(field, '', `host must be specified${form}`)] : []),
    ...(url.username === '' ? [] : [invalid(field, url.username, 'user information is not permitted in the URL')]),
    ...(url.hash === '' ? [] : [invalid(field, url.hash.slice(1), 'fragments are not permitted in the URL')]),
    ...(url.search === ''
      ? []
      : [invalid(field, url.search.slice(1), 'query parameters are not permitted in the URL')]),
  ];
}

function reviewCauses(hook: JsonObject, path: string): Causes {
  const field = `${path}.admissionReviewVersions`;
  const versions = texts(hook, 'admissionReviewVersions');
  if (versions.length === 0) return [required(field, 'must specify one of v1, v1beta1')];
  const seen = new Set<string>();
  const causes = versions.flatMap((version, index) => {
    if (seen.has(version)) return [invalid(`${field}[${index}]`, version, 'duplicate version')];
    seen.add(version);
    return checkServiceName(version).map((problem) => invalid(`${field}[${index}]`, version, problem));
  });
  if (seen.has('v1') || seen.has('v1beta1')) return causes;
  return [...causes, invalid(field, versions, 'must include at least one of v1, v1beta1')];
}
