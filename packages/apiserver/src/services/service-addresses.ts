import type { Service } from '@manta/api';
import { addressToNumber, allocate, contains, numberToAddress, type Pool } from './address-pool.ts';

/** The default range of node ports. */
export const NODE_PORTS: Pool = { first: 30_000, count: 2768 };

/** What services hold already, and where new addresses and ports come from. */
export interface ServiceAddresses {
  readonly services: readonly Service[];
  readonly addresses: Pool;
  readonly nodePorts: Pool;
  readonly random: () => number;
}

/** An address or a port that a service asked for cannot be had. */
export type Refused = { readonly field: string; readonly value: string | number; readonly message: string };

/** A cluster IP that no service holds; undefined when none is left. */
export function freeClusterIp({ services, addresses, random }: ServiceAddresses): string | undefined {
  const taken = new Set(services.flatMap(clusterIps).map(addressToNumber));
  const value = allocate(addresses, (candidate) => taken.has(candidate), random);
  return value === undefined ? undefined : numberToAddress(value);
}

/** A node port that no service holds, nor is among `also`; undefined when none is left. */
export function freeNodePort(
  { services, nodePorts, random }: ServiceAddresses,
  also: readonly number[] = [],
): number | undefined {
  const taken = new Set([...services.flatMap(heldNodePorts), ...also]);
  return allocate(nodePorts, (candidate) => taken.has(candidate), random);
}

/** Why a cluster IP that was asked for cannot be had; undefined when it can. */
export function refuseClusterIp({ services, addresses }: ServiceAddresses, ip: string): Refused | undefined {
  const value = addressToNumber(ip);
  if (value === undefined || !contains(addresses, value)) {
    return refused(
      'spec.clusterIPs',
      [ip],
      `failed to allocate IP ${ip}: the provided network does not match the current range`,
    );
  }
  const isTaken = services.flatMap(clusterIps).includes(ip);
  return isTaken
    ? refused('spec.clusterIPs', [ip], `failed to allocate IP ${ip}: provided IP is already allocated`)
    : undefined;
}

/** Why a node port that was asked for cannot be had; undefined when it can. */
export function refuseNodePort(
  { services, nodePorts }: ServiceAddresses,
  port: number,
  field: string,
): Refused | undefined {
  if (!contains(nodePorts, port)) {
    const range = `${nodePorts.first}-${nodePorts.first + nodePorts.count - 1}`;
    return refused(field, port, `provided port is not in the valid range. The range of valid ports is ${range}`);
  }
  return services.flatMap(heldNodePorts).includes(port)
    ? refused(field, port, 'provided port is already allocated')
    : undefined;
}

function clusterIps({ spec }: Service): readonly string[] {
  return [...new Set([...(spec?.clusterIPs ?? []), ...(spec?.clusterIP === undefined ? [] : [spec.clusterIP])])];
}

function heldNodePorts({ spec }: Service): readonly number[] {
  const ports = (spec?.ports ?? []).flatMap(({ nodePort }) => (nodePort === undefined ? [] : [nodePort]));
  return spec?.healthCheckNodePort === undefined ? ports : [...ports, spec.healthCheckNodePort];
}

function refused(field: string, value: number | readonly string[], message: string): Refused {
  return { field, value: typeof value === 'number' ? value : JSON.stringify(value), message };
}
