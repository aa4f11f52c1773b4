import { isIPv4, isIPv6 } from 'node:net';
import { duplicate, invalid, notSupported, required } from '../../field/cause.ts';
import { checkLabelName, checkQualifiedName, checkSubdomainName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { number, parts, text, texts } from '../read.ts';
import { type Causes, checkOneOf, checkOptional, checkParts, checkPort, checkValue } from './check.ts';
import { checkEndpointIp, checkIp } from './ip.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];

/** Checks the endpoints of a service in their old form. */
export function checkEndpoints(object: JsonObject): Causes {
  return checkParts(object, 'subsets', '', (subset, rawPath) => {
    const at = rawPath.slice(1);
    const isEmpty = parts(subset, 'addresses').length === 0 && parts(subset, 'notReadyAddresses').length === 0;
    return [
      ...(isEmpty ? [required(at, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...checkParts(subset, 'addresses', at, addressCauses),
      ...checkParts(subset, 'notReadyAddresses', at, addressCauses),
      ...checkParts(subset, 'ports', at, (port, path) => [
        ...(parts(subset, 'ports').length > 1 && text(port, 'name') === '' ? [required(`${path}.name`)] : []),
        ...checkOptional(port, 'name', path, checkLabelName),
        ...checkPort(number(port, 'port') ?? 0, `${path}.port`),
        ...checkOneOf(port, 'protocol', path, protocols),
        ...(typeof port['appProtocol'] === 'string'
          ? checkValue(port['appProtocol'], `${path}.appProtocol`, checkQualifiedName)
          : []),
      ]),
    ];
  });
}

function addressCauses(address: JsonObject, path: string): Causes {
  const ip = text(address, 'ip');
  return [
    ...checkIp(ip, `${path}.ip`),
    ...checkOptional(address, 'hostname', path, checkLabelName),
    ...(typeof address['nodeName'] === 'string'
      ? checkValue(address['nodeName'], `${path}.nodeName`, checkSubdomainName)
      : []),
    ...checkEndpointIp(ip, `${path}.ip`),
  ];
}

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];

/** Checks a slice of the endpoints of a service. */
export function checkEndpointSlice(object: JsonObject): Causes {
  const type = text(object, 'addressType');
  return [
    ...(type === ''
      ? [required('addressType')]
      : addressTypes.includes(type)
        ? []
        : [notSupported('addressType', type, addressTypes)]),
    ...slicePortCauses(object),
    ...checkParts(object, 'endpoints', '', (endpoint, rawPath) => endpointCauses(endpoint, rawPath.slice(1), type)),
  ];
}

function slicePortCauses(object: JsonObject): Causes {
  const names = new Set<string>();
  return checkParts(object, 'ports', '', (port, rawPath) => {
    const at = rawPath.slice(1);
    const name = text(port, 'name');
    const causes: Causes[number][] = name === '' ? [] : [...checkValue(name, `${at}.name`, checkLabelName)];
    if (names.has(name)) causes.push(duplicate(`${at}.name`, name));
    names.add(name);
    return [
      ...causes,
      ...checkOneOf(port, 'protocol', at, protocols),
      ...(typeof port['appProtocol'] === 'string'
        ? checkValue(port['appProtocol'], `${at}.appProtocol`, checkQualifiedName)
        : []),
    ];
  });
}

function endpointCauses(endpoint: JsonObject, path: string, type: string): Causes {
  const addresses = texts(endpoint, 'addresses');
  return [
    ...(addresses.length === 0 ? [required(`${path}.addresses`, 'must contain at least 1 address')] : []),
    ...addresses.flatMap((address, index) => typedAddressCauses(address, `${path}.addresses`, index, type)),
    ...(typeof endpoint['nodeName'] === 'string'
      ? checkValue(endpoint['nodeName'], `${path}.nodeName`, checkSubdomainName)
      : []),
    ...(typeof endpoint['hostname'] === 'string'
      ? checkValue(endpoint['hostname'], `${path}.hostname`, checkLabelName)
      : []),
  ];
}

function typedAddressCauses(address: string, path: string, index: number, type: string): Causes {
  const field = `${path}[${index}]`;
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const causes = checkIp(address, field);
  if (causes.length > 0) return causes;
  const isFitting = type === 'IPv4' ? isIPv4(address) : isIPv6(address);
  return [
    ...(isFitting ? [] : [invalid(path, address, `must be an ${type} address`)]),
    ...checkEndpointIp(address, field),
  ];
}

/** The kind of addresses of a slice stays. */
export function checkEndpointSliceUpdate(object: JsonObject, old: JsonObject): Causes {
  const type = text(object, 'addressType');
  return [
    ...checkEndpointSlice(object),
    ...(type === text(old, 'addressType') ? [] : [invalid('addressType', type, 'field is immutable')]),
  ];
}
