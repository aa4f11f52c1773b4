import { ownValue } from '@manta/base';
import { isIP } from 'node:net';
import type { Service } from '@manta/api';
import { addressPool } from '../services/address-pool.ts';
import {
  freeClusterIp,
  freeNodePort,
  NODE_PORTS,
  type Refused,
  refuseClusterIp,
  refuseNodePort,
  type ServiceAddresses,
} from '../services/service-addresses.ts';
import { deepEqual } from '../object/deep-equal.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import type { Store } from '../store/contract.ts';
import type { EngineWorld } from '../world.ts';
import { invalid } from '../status/errors.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import { metaText } from '../object/metadata.ts';
import type { AdmissionPlugin } from './admission.ts';

const KIND = { group: '', kind: 'Service' };

/** Hands out cluster addresses and node ports to services. */
export function serviceAddresses(store: Store, world: EngineWorld, cidr: string): AdmissionPlugin {
  const pool = addressPool(cidr);
  return {
    mutate({ scope, operation, object, old, isDryRun }) {
      const { group, kind } = scope.resource.info;
      if (group !== '' || kind !== 'Service' || scope.subresource !== '' || !isObject(object['spec'])) return object;
      const services = store
        .list('/services')
        .filter(({ metadata }) => metadata.uid !== metaText(old ?? object, 'uid'));
      // What is stored as a service was checked as one.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const held = services as unknown as readonly Service[];
      const from = { services: held, addresses: pool, nodePorts: NODE_PORTS, random: world.random };
      const carried = operation === 'UPDATE' && old !== undefined ? carryOver(object['spec'], old) : object['spec'];
      // An address that a service has stays; the checks refuse another.
      const isMoved = operation === 'UPDATE' && hasOtherIp(carried, old);
      const addressed = isMoved ? carried : withClusterIp(carried, from, object, isDryRun ? cidr : undefined);
      const spec = withNodePorts(addressed, from, object);
      return { ...object, spec };
    },
  };
}

/** What an update leaves out stays as it was, as long as the type still needs it. */
function carryOver(given: JsonObject, old: JsonObject): JsonObject {
  const before = isObject(old['spec']) ? old['spec'] : {};
  const spec = withSameIps(given, before);
  const isMissing = textAt(spec, 'clusterIP') === '' && !Array.isArray(spec['clusterIPs']);
  const ips =
    needsIp(spec) && needsIp(before) && isMissing
      ? { clusterIP: before['clusterIP'] ?? '', clusterIPs: before['clusterIPs'] ?? [] }
      : {};
  const ports = usesNodePorts(spec) && usesNodePorts(before) ? { ports: portsOf(spec, before) } : {};
  const port = before['healthCheckNodePort'];
  const isHealthMissing = needsHealthPort(spec) && needsHealthPort(before) && spec['healthCheckNodePort'] === undefined;
  const health = isHealthMissing && port !== undefined ? { healthCheckNodePort: port } : {};
  return withoutOutgrown(withoutNodePorts({ ...spec, ...ips, ...ports, ...health }, before), before);
}

/** Who changes the one address and leaves the list as it was means the list as well. */
function withSameIps({ clusterIPs, ...spec }: JsonObject, before: JsonObject): JsonObject {
  const ip = textAt(spec, 'clusterIP');
  const isOutdated = ip !== textAt(before, 'clusterIP') && deepEqual(clusterIPs, before['clusterIPs']);
  if (clusterIPs === undefined && !needsIp(spec)) return spec;
  if (isOutdated || clusterIPs === undefined) return ip === '' ? spec : { ...spec, clusterIPs: [ip] };
  return { ...spec, clusterIPs };
}

type Needs = (spec: JsonObject) => boolean;

const needsIp: Needs = (spec) => spec['type'] !== 'ExternalName';
const isBalancer: Needs = (spec) => spec['type'] === 'LoadBalancer';
const isExternal: Needs = (spec) =>
  spec['type'] === 'NodePort' || isBalancer(spec) || (spec['type'] === 'ClusterIP' && hasItems(spec['externalIPs']));
const needsHealthPort: Needs = (spec) => isBalancer(spec) && spec['externalTrafficPolicy'] === 'Local';

/** Which fields go with which types. */
const typeFields: readonly (readonly [Needs, readonly string[]])[] = [
  [needsIp, ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']],
  [isExternal, ['externalTrafficPolicy']],
  [needsHealthPort, ['healthCheckNodePort']],
  [isBalancer, ['allocateLoadBalancerNodePorts', 'loadBalancerClass']],
];

/** What the new type has no use for is dropped where the client left it as it was; what it changed is for the checks to refuse. */
function withoutOutgrown(spec: JsonObject, before: JsonObject): JsonObject {
  const dropped = typeFields
    .filter(([needs]) => needs(before) && !needs(spec))
    .flatMap(([, keys]) => keys)
    .filter((key) => deepEqual(ownValue(spec, key), ownValue(before, key)));
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !dropped.includes(key)));
}

/** Node ports go together, where the client left all of them as they were. */
function withoutNodePorts(spec: JsonObject, before: JsonObject): JsonObject {
  if (usesNodePorts(spec) || !usesNodePorts(before)) return spec;
  const numbers = (of: JsonObject) => new Set(listOf(of['ports']).map(({ nodePort }) => nodePort ?? 0));
  const [now, known] = [numbers(spec), numbers(before)];
  if (![...now].every((port) => port === 0 || known.has(port))) return spec;
  return { ...spec, ports: listOf(spec['ports']).map(({ nodePort: _nodePort, ...port }) => port) };
}

function portsOf(spec: JsonObject, before: JsonObject): Json {
  const known = listOf(before['ports']);
  return listOf(spec['ports']).map((port) => {
    if (port['nodePort'] !== undefined) return port;
    const same = known.find(({ port: number, protocol }) => number === port['port'] && protocol === port['protocol']);
    return same?.['nodePort'] === undefined ? port : { ...port, nodePort: same['nodePort'] };
  });
}

function hasOtherIp(spec: JsonObject, old: JsonObject | undefined): boolean {
  const before = old !== undefined && isObject(old['spec']) ? old['spec'] : {};
  const ip = textAt(before, 'clusterIP');
  return needsIp(before) && needsIp(spec) && ip !== '' && textAt(spec, 'clusterIP') !== ip;
}

/** `tried` is the range of addresses where nothing is taken from it: then the real server has other words. */
function withClusterIp(
  spec: JsonObject,
  from: ServiceAddresses,
  object: JsonObject,
  tried: string | undefined,
): JsonObject {
  if (spec['type'] === 'ExternalName') return spec;
  const first = valueAt(spec, 'clusterIPs');
  const asked = textAt(spec, 'clusterIP') || (Array.isArray(first) && typeof first[0] === 'string' ? first[0] : '');
  if (asked === 'None') return { ...spec, clusterIP: 'None', clusterIPs: ['None'] };
  // What is no address at all is for the checks to refuse.
  if (asked !== '' && isIP(asked) === 0) return { ...spec, clusterIP: asked, clusterIPs: first ?? [asked] };
  if (asked !== '') {
    refuse(inWordsOf(tried, refuseClusterIp(from, asked), asked), object);
    return { ...spec, clusterIP: asked, clusterIPs: [asked] };
  }
  const ip = freeClusterIp(from);
  if (ip === undefined) throw exhausted('failed to allocate a serviceIP: range is full');
  return { ...spec, clusterIP: ip, clusterIPs: [ip] };
}

function inWordsOf(tried: string | undefined, refused: Refused | undefined, ip: string): Refused | undefined {
  if (tried === undefined || refused === undefined) return refused;
  const words = `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${tried}`;
  return {
    ...refused,
    message: refused.message.replace('the provided network does not match the current range', words),
  };
}

function usesNodePorts(spec: JsonObject): boolean {
  if (spec['type'] === 'NodePort') return true;
  return spec['type'] === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false;
}

function withNodePorts(spec: JsonObject, from: ServiceAddresses, object: JsonObject): JsonObject {
  if (!usesNodePorts(spec)) return spec;
  const given: number[] = [];
  const take = (): number => {
    const port = freeNodePort(from, given);
    if (port === undefined) throw exhausted('failed to allocate a nodePort: range is full');
    given.push(port);
    return port;
  };
  const ports = listOf(spec['ports']).map((port, index) => {
    const asked = port['nodePort'];
    if (typeof asked !== 'number' || asked === 0) return { ...port, nodePort: take() };
    refuse(refuseNodePort(from, asked, `spec.ports[${index}].nodePort`), object);
    given.push(asked);
    return port;
  });
  const isLocal = spec['type'] === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local';
  const health = isLocal && !(Number(spec['healthCheckNodePort'] ?? 0) > 0) ? { healthCheckNodePort: take() } : {};
  return { ...spec, ports, ...health };
}

function refuse(refused: Refused | undefined, object: JsonObject): void {
  if (refused === undefined) return;
  const { field, value, message } = refused;
  const cause = { reason: 'FieldValueInvalid', field, message: `Invalid value: ${value}: ${message}` };
  throw invalid(KIND, metaText(object, 'name'), [cause]);
}

function exhausted(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`);
}

function hasItems(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
