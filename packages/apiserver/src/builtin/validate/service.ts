import { ownValue } from '@manta/base';
import { isIP, isIPv6 } from 'node:net';
import { deepEqual } from '../../object/deep-equal.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../field/cause.ts';
import { GoStruct } from '../../field/go-json.ts';
import { checkLabelName, checkQualifiedName, checkSubdomainName } from '../../field/names.ts';
import { validateLabels } from '../../field/object-meta.ts';
import type { JsonObject } from '../../object/json.ts';
import { number, part, parts, text, texts } from '../read.ts';
import {
  type Causes,
  checkOneOf,
  checkOptionalOneOf,
  checkParts,
  checkPort,
  checkPortOrName,
  checkValue,
} from './check.ts';
import { checkCidr, checkEndpointIp, checkIp } from './ip.ts';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const protocols = ['SCTP', 'TCP', 'UDP'];

/** Validates the fields that address allocation depends on: it happens before the other checks. */
export function checkServiceAddresses(object: JsonObject): Causes {
  const spec = part(object, 'spec') ?? {};
  const ips = texts(spec, 'clusterIPs');
  if (text(spec, 'type') === 'ExternalName') return [];
  return [...addressCauses(spec, ips), ...familyCauses(spec), ...clusterCauses(spec, ips[0] === 'None')];
}

/** Checks a service but for its addresses. */
export function checkService(object: JsonObject): Causes {
  const spec = part(object, 'spec') ?? {};
  const type = text(spec, 'type');
  const ips = texts(spec, 'clusterIPs');
  const isHeadless = ips[0] === 'None';
  const needsPorts = parts(spec, 'ports').length === 0 && !isHeadless && type !== 'ExternalName';
  return [
    ...(needsPorts ? [required('spec.ports')] : []),
    ...typeCauses(spec, type, isHeadless),
    ...portCauses(spec, type),
    ...validateLabels(spec['selector'], 'spec.selector'),
    ...affinityCauses(spec),
    ...texts(spec, 'externalIPs').flatMap((ip, index) => {
      const causes = checkIp(ip, `spec.externalIPs[${index}]`);
      return causes.length > 0 ? causes : checkEndpointIp(ip, `spec.externalIPs[${index}]`);
    }),
    ...checkOneOf(spec, 'type', 'spec', types),
    ...balancerCauses(spec, type),
    ...trafficCauses(spec, type),
  ];
}

function typeCauses(spec: JsonObject, type: string, isHeadless: boolean): Causes {
  if (isHeadless && (type === 'LoadBalancer' || type === 'NodePort')) {
    return [invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)];
  }
  if (type !== 'ExternalName') return [];
  const name = text(spec, 'externalName').replace(/\.$/, '');
  return [
    ...externalAddressCauses(spec),
    ...(name === '' ? [required('spec.externalName')] : checkValue(name, 'spec.externalName', checkSubdomainName)),
  ];
}

function externalAddressCauses(spec: JsonObject): Causes {
  return ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy']
    .filter((key) => ownValue(spec, key) !== undefined)
    .map((key) => forbidden(`spec.${key}`, 'may not be set for ExternalName services'));
}

function portCauses(spec: JsonObject, type: string): Causes {
  const ports = parts(spec, 'ports');
  const names = new Set<string>();
  const own = checkParts(spec, 'ports', 'spec', (port, at) => {
    const name = text(port, 'name');
    const causes: Causes[number][] = [];
    if (name === '') {
      if (ports.length > 1) causes.push(required(`${at}.name`));
    } else {
      causes.push(...checkValue(name, `${at}.name`, checkLabelName));
      if (names.has(name)) causes.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    return [
      ...causes,
      ...checkPort(number(port, 'port') ?? 0, `${at}.port`),
      ...checkOneOf(port, 'protocol', at, protocols),
      ...checkPortOrName(port['targetPort'], `${at}.targetPort`),
      ...(typeof port['appProtocol'] === 'string'
        ? checkValue(port['appProtocol'], `${at}.appProtocol`, checkQualifiedName)
        : []),
    ];
  });
  return [...own, ...sharedPortCauses(spec, type)];
}

function sharedPortCauses(spec: JsonObject, type: string): Causes {
  const nodePorts = new Set<string>();
  const ports = new Set<string>();
  return checkParts(spec, 'ports', 'spec', (port, at) => {
    const causes: Causes[number][] = [];
    const [nodePort, protocol, inside] = [
      number(port, 'nodePort') ?? 0,
      text(port, 'protocol'),
      number(port, 'port') ?? 0,
    ];
    if (nodePort !== 0) {
      if (type === 'ClusterIP') causes.push(forbidden(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'"));
      if (nodePorts.has(`${protocol}/${nodePort}`)) causes.push(duplicate(`${at}.nodePort`, nodePort));
      nodePorts.add(`${protocol}/${nodePort}`);
    }
    if (ports.has(`${protocol}/${inside}`)) {
      const shown = new GoStruct({
        Name: '',
        Protocol: protocol,
        AppProtocol: null,
        Port: inside,
        TargetPort: 0,
        NodePort: 0,
      });
      causes.push(duplicate(at, shown));
    }
    ports.add(`${protocol}/${inside}`);
    return causes;
  });
}

function affinityCauses(spec: JsonObject): Causes {
  const causes = checkOneOf(spec, 'sessionAffinity', 'spec', ['ClientIP', 'None']);
  if (text(spec, 'sessionAffinity') !== 'ClientIP') return causes;
  const seconds = number(part(part(spec, 'sessionAffinityConfig'), 'clientIP'), 'timeoutSeconds') ?? 0;
  if (seconds > 0 && seconds <= 86_400) return causes;
  const field = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds';
  return [...causes, invalid(field, seconds, 'must be greater than 0 and less than 86400')];
}

function addressCauses(spec: JsonObject, ips: readonly string[]): Causes {
  const one = text(spec, 'clusterIP');
  const field = 'spec.clusterIPs';
  const causes: Causes[number][] = [];
  if (one !== '' && ips.length === 0) causes.push(required(field));
  else if (one !== '' && ips[0] !== one) causes.push(invalid(field, ips, 'first value must match `clusterIP`'));
  else if (one === '' && ips.length > 0)
    causes.push(invalid(field, ips, 'must be empty when `clusterIP` is not specified'));
  if (ips[0] === 'None' && ips.length > 1) causes.push(invalid(field, ips, "'None' must be the first and only value"));
  for (const [index, ip] of ips.entries()) {
    if (index > 0 || ip !== 'None') causes.push(...checkIp(ip, `${field}[${index}]`));
  }
  if (ips.length > 2) causes.push(invalid(field, ips, 'may only hold up to 2 values'));
  if (ips.length === 2 && causes.length === 0 && isIPv6(ips[0] ?? '') === isIPv6(ips[1] ?? '')) {
    causes.push(invalid(field, ips, 'may specify no more than one IP for each IP family'));
  }
  return causes;
}

function familyCauses(spec: JsonObject): Causes {
  const seen = new Set<string>();
  const families = texts(spec, 'ipFamilies').flatMap((family, index) => {
    const field = `spec.ipFamilies[${index}]`;
    const causes: Causes[number][] = [];
    if (family !== 'IPv4' && family !== 'IPv6') causes.push(notSupported(field, family, ['IPv4', 'IPv6']));
    if (seen.has(family)) causes.push(duplicate(field, family));
    seen.add(family);
    return causes;
  });
  return [
    ...families,
    ...checkOptionalOneOf(spec, 'ipFamilyPolicy', 'spec', ['PreferDualStack', 'RequireDualStack', 'SingleStack']),
  ];
}

/** The cluster has addresses of IPv4 only; what needs none of them may say that it has both. */
function clusterCauses(spec: JsonObject, isHeadless: boolean): Causes {
  const isOpen = isHeadless && Object.keys(part(spec, 'selector') ?? {}).length === 0;
  if (isOpen) return [];
  const policy = text(spec, 'ipFamilyPolicy');
  return [
    ...(policy === 'RequireDualStack'
      ? [invalid('spec.ipFamilyPolicy', policy, 'this cluster is not configured for dual-stack services')]
      : []),
    ...texts(spec, 'ipFamilies').flatMap((family, index) =>
      family === 'IPv6' ? [invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')] : [],
    ),
  ];
}

const onlyBalancer = "may only be used when `type` is 'LoadBalancer'";

function balancerCauses(spec: JsonObject, type: string): Causes {
  const name = spec['loadBalancerClass'];
  const ranges = texts(spec, 'loadBalancerSourceRanges');
  const blocks = ranges.flatMap((range, index) => checkCidr(range.trim(), `spec.LoadBalancerSourceRanges[${index}]`));
  if (type === 'LoadBalancer') {
    return [
      ...blocks,
      ...(typeof name === 'string' ? checkValue(name, 'spec.loadBalancerClass', checkQualifiedName) : []),
    ];
  }
  return [
    ...(ranges.length > 0 ? [forbidden('spec.LoadBalancerSourceRanges', onlyBalancer)] : []),
    ...blocks,
    ...(spec['allocateLoadBalancerNodePorts'] === undefined
      ? []
      : [forbidden('spec.allocateLoadBalancerNodePorts', onlyBalancer)]),
    ...(name === undefined ? [] : [forbidden('spec.loadBalancerClass', onlyBalancer)]),
  ];
}

function trafficCauses(spec: JsonObject, type: string): Causes {
  const policy = text(spec, 'externalTrafficPolicy');
  const isExternal =
    type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && texts(spec, 'externalIPs').length > 0);
  const causes: Causes[number][] = [];
  if (isExternal) causes.push(...checkOneOf(spec, 'externalTrafficPolicy', 'spec', ['Cluster', 'Local']));
  else if (policy !== '') {
    causes.push(invalid('spec.externalTrafficPolicy', policy, 'may only be set for externally-accessible services'));
  }
  const healthPort = number(spec, 'healthCheckNodePort') ?? 0;
  const needsHealth = type === 'LoadBalancer' && policy === 'Local';
  if (!needsHealth && healthPort !== 0) {
    const problem = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    causes.push(invalid('spec.healthCheckNodePort', healthPort, problem));
  }
  return [
    ...causes,
    ...checkOptionalOneOf(spec, 'internalTrafficPolicy', 'spec', ['Cluster', 'Local']),
    ...checkOptionalOneOf(spec, 'trafficDistribution', 'spec', ['PreferClose', 'PreferSameZone', 'PreferSameNode']),
  ];
}

/** Only load balancers have addresses outside. */
function balancerStatusCauses(object: JsonObject): Causes {
  const balancer = part(part(object, 'status'), 'loadBalancer');
  const field = 'status.loadBalancer';
  if (text(part(object, 'spec'), 'type') !== 'LoadBalancer' && parts(balancer, 'ingress').length > 0) {
    return [forbidden(`${field}.ingress`, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return checkParts(balancer ?? {}, 'ingress', field, (ingress, at) => {
    const [ip, hostname] = [text(ingress, 'ip'), text(ingress, 'hostname')];
    const isAddress = hostname !== '' && isIP(hostname) !== 0;
    const named = hostname === '' ? [] : checkValue(hostname, `${at}.hostname`, checkSubdomainName);
    return [
      ...(ip === '' ? [] : checkIp(ip, `${at}.ip`)),
      ...(ip === '' && ingress['ipMode'] !== undefined
        ? [forbidden(`${at}.ipMode`, 'may not be specified when `ip` is not set')]
        : checkOptionalOneOf(ingress, 'ipMode', at, ['Proxy', 'VIP'])),
      ...named,
      ...(isAddress ? [invalid(`${at}.hostname`, hostname, 'must be a DNS name, not an IP address')] : []),
    ];
  });
}

/** Checks what an update did to a service: the address that it has stays. */
export function checkServiceUpdate(object: JsonObject, old: JsonObject, subresource: string): Causes {
  if (subresource === 'status') return balancerStatusCauses(object);
  const [spec, before] = [part(object, 'spec') ?? {}, part(old, 'spec') ?? {}];
  const keepsType = text(spec, 'type') !== 'ExternalName' && text(before, 'type') !== 'ExternalName';
  const [ips, oldIps] = [texts(spec, 'clusterIPs'), texts(before, 'clusterIPs')];
  const problem = 'may not change once set';
  const isMoved = keepsType && oldIps[0] !== undefined && ips[0] !== oldIps[0];
  const classes = [spec['loadBalancerClass'], before['loadBalancerClass']];
  const isBalancer = text(spec, 'type') === 'LoadBalancer' && text(before, 'type') === 'LoadBalancer';
  return [
    ...(isMoved ? [invalid('spec.clusterIPs[0]', ips.length > 0 ? ips : null, problem)] : []),
    ...(isBalancer && !deepEqual(classes[0], classes[1])
      ? [invalid('spec.loadBalancerClass', classes[0] ?? null, problem)]
      : []),
    ...checkService(object),
  ];
}
