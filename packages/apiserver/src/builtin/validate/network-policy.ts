import { ownValue } from '@manta/base';
import { BlockList, isIPv6 } from 'node:net';
import { forbidden, invalid, notSupported, required } from '../../field/cause.ts';
import type { JsonObject } from '../../object/json.ts';
import { number, part, text, texts } from '../read.ts';
import { type Causes, checkOptionalOneOf, checkParts, checkPort, checkPortOrName } from './check.ts';
import { checkCidr, isCidr } from './ip.ts';
import { checkSelector } from './selector.ts';

/** Checks a network policy. */
export function checkNetworkPolicy(object: JsonObject): Causes {
  const spec = part(object, 'spec') ?? {};
  const types = texts(spec, 'policyTypes');
  const rules = (key: string, peers: string) =>
    checkParts(spec, key, 'spec', (rule, at) => [
      ...checkParts(rule, 'ports', at, portCauses),
      ...checkParts(rule, peers, at, peerCauses),
    ]);
  return [
    ...checkSelector(spec, 'podSelector', 'spec'),
    ...rules('ingress', 'from'),
    ...rules('egress', 'to'),
    ...(types.length > 2
      ? [invalid('spec.policyTypes', types, 'may not specify more than two policyTypes')]
      : types.flatMap((type, index) =>
          type === 'Ingress' || type === 'Egress'
            ? []
            : [notSupported(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress'])],
        )),
  ];
}

function portCauses(rule: JsonObject, path: string): Causes {
  const port = rule['port'];
  const end = number(rule, 'endPort');
  const causes: Causes[number][] = [...checkOptionalOneOf(rule, 'protocol', path, ['TCP', 'UDP', 'SCTP'])];
  const field = `${path}.endPort`;
  if (port === undefined) {
    return end === undefined
      ? causes
      : [...causes, invalid(field, end, 'may not be specified when `port` is not specified')];
  }
  if (typeof port === 'string' && end !== undefined) {
    causes.push(invalid(field, end, 'may not be specified when `port` is non-numeric'));
  }
  causes.push(...checkPortOrName(port, `${path}.port`));
  if (typeof port !== 'number' || end === undefined) return causes;
  if (end < port) causes.push(invalid(field, port, 'must be greater than or equal to `port`'));
  return [...causes, ...checkPort(end, field)];
}

function peerCauses(peer: JsonObject, path: string): Causes {
  const given = ['podSelector', 'namespaceSelector', 'ipBlock'].filter((key) => ownValue(peer, key) !== undefined);
  const block = part(peer, 'ipBlock');
  return [
    ...checkSelector(peer, 'podSelector', path),
    ...checkSelector(peer, 'namespaceSelector', path),
    ...(block === undefined ? [] : blockCauses(block, `${path}.ipBlock`)),
    ...(given.length === 0 ? [required(path, 'must specify a peer')] : []),
    ...(given.length > 1 && block !== undefined
      ? [forbidden(path, 'may not specify both ipBlock and another peer')]
      : []),
  ];
}

function blockCauses(block: JsonObject, path: string): Causes {
  const cidr = text(block, 'cidr');
  if (cidr === '') return [required(`${path}.cidr`)];
  const causes = checkCidr(cidr, `${path}.cidr`);
  if (causes.length > 0) return causes;
  return texts(block, 'except').flatMap((except, index) => {
    const field = `${path}.except[${index}]`;
    if (!isCidr(except)) return checkCidr(except, field);
    return isWithin(except, cidr) ? [] : [invalid(field, except, 'must be a strict subset of `cidr`')];
  });
}

function isWithin(inner: string, outer: string): boolean {
  const [address = '', bits = ''] = inner.split('/');
  const [network = '', prefix = ''] = outer.split('/');
  if (isIPv6(address) !== isIPv6(network)) return false;
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return Number(bits) > Number(prefix) && list.check(address, family);
}
