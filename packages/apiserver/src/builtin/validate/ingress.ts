import { isIP } from 'node:net';
import { invalid, notSupported, required } from '../../field/cause.ts';
import { checkLabelName, checkSubdomainName, checkWildcardName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { number, part, parts, text, texts } from '../read.ts';
import { type Causes, checkNamed, checkOptional, checkParts, checkPort, checkPortName, checkValue } from './check.ts';
import { checkDomainPath } from './domain-path.ts';

/** Checks an ingress. */
export function checkIngress(object: JsonObject): Causes {
  const spec = part(object, 'spec') ?? {};
  const standard = part(spec, 'defaultBackend');
  const isEmpty = parts(spec, 'rules').length === 0 && standard === undefined;
  return [
    ...(isEmpty
      ? [invalid('spec', spec['rules'] ?? null, 'either `defaultBackend` or `rules` must be specified')]
      : []),
    ...(standard === undefined ? [] : backendCauses(standard, 'spec.defaultBackend')),
    ...checkParts(spec, 'rules', 'spec', ruleCauses),
    ...checkParts(spec, 'tls', 'spec', (tls, at) => [
      ...texts(tls, 'hosts').flatMap((host, index) => hostCauses(host, `${at}.hosts[${index}]`)),
      ...checkOptional(tls, 'secretName', at, checkSubdomainName),
    ]),
    ...(typeof spec['ingressClassName'] === 'string'
      ? checkValue(spec['ingressClassName'], 'spec.ingressClassName', checkSubdomainName)
      : []),
  ];
}

function hostCauses(host: string, field: string): Causes {
  return checkValue(host, field, host.includes('*') ? checkWildcardName : checkSubdomainName);
}

function ruleCauses(rule: JsonObject, path: string): Causes {
  const host = text(rule, 'host');
  const http = part(rule, 'http');
  const isAddress = isIP(host) !== 0;
  return [
    ...(isAddress ? [invalid(`${path}.host`, host, 'must be a DNS name, not an IP address')] : []),
    ...(host === '' ? [] : hostCauses(host, `${path}.host`)),
    ...(http !== undefined && parts(http, 'paths').length === 0 ? [required(`${path}.http.paths`)] : []),
    ...checkParts(http, 'paths', `${path}.http`, pathCauses),
  ];
}

const types = ['Exact', 'ImplementationSpecific', 'Prefix'];

function pathCauses(rule: JsonObject, path: string): Causes {
  const type = rule['pathType'];
  if (typeof type !== 'string') return [required(`${path}.pathType`, 'pathType must be specified')];
  const target = text(rule, 'path');
  const problems: string[] = [];
  const isStrict = type === 'Exact' || type === 'Prefix';
  if (!target.startsWith('/') && (isStrict || (type === 'ImplementationSpecific' && target !== ''))) {
    problems.push('must be an absolute path');
  }
  if (isStrict) {
    const inside = ['//', '/./', '/../', '%2f', '%2F'].filter((piece) => target.includes(piece));
    const atEnd = ['/..', '/.'].filter((end) => target.endsWith(end));
    problems.push(
      ...inside.map((found) => `must not contain '${found}'`),
      ...atEnd.map((end) => `cannot end with '${end}'`),
    );
  }
  return [
    ...problems.map((problem) => invalid(`${path}.path`, target, problem)),
    ...(types.includes(type) ? [] : [notSupported(`${path}.pathType`, type, types)]),
    ...backendCauses(part(rule, 'backend') ?? {}, `${path}.backend`),
  ];
}

function backendCauses(backend: JsonObject, path: string): Causes {
  const [service, resource] = [part(backend, 'service'), part(backend, 'resource')];
  if (service !== undefined && resource !== undefined)
    return [invalid(path, '', 'cannot set both resource and service backends')];
  if (resource !== undefined) return resourceCauses(resource, `${path}.resource`);
  if (service === undefined) return [invalid(path, '', 'resource or service backend is required')];
  return [...checkNamed(service, 'name', `${path}.service`, checkLabelName), ...backendPortCauses(service, path)];
}

function backendPortCauses(service: JsonObject, path: string): Causes {
  const port = part(service, 'port');
  const [name, value] = [text(port, 'name'), number(port, 'number') ?? 0];
  if (name !== '' && value !== 0) return [invalid(path, '', 'cannot set both port name & port number')];
  if (name !== '') return checkValue(name, `${path}.service.port.name`, checkPortName);
  return value === 0
    ? [required(path, 'port name or number is required')]
    : checkPort(value, `${path}.service.port.number`);
}

function resourceCauses(resource: JsonObject, path: string): Causes {
  return ['kind', 'name'].filter((key) => text(resource, key) === '').map((key) => required(`${path}.${key}`));
}

/** Checks a class of ingresses. */
export function checkIngressClass(object: JsonObject): Causes {
  return checkDomainPath(text(part(object, 'spec'), 'controller'), 'spec.controller');
}
