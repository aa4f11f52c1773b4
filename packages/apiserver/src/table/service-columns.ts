import type { JsonObject } from '../object/json.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import type { PrinterColumn } from '../registry/printer-column.ts';
import { AGE, column, field, labelsText, NONE, numberAt, objectsAt, textsAt, wide } from './column.ts';

/** The columns of services. */
export const SERVICE_COLUMNS: readonly PrinterColumn[] = [
  field('Type', 'spec.type'),
  field('Cluster-IP', 'spec.clusterIP', NONE),
  column('External-IP', externalIp),
  column('Port(s)', (service) => objectsAt(service, 'spec.ports').map(portText).join(',') || NONE),
  AGE,
  wide('Selector', (service) => labelsText(valueAt(service, 'spec.selector'))),
];

function externalIp(service: JsonObject): string {
  const own = textsAt(service, 'spec.externalIPs');
  switch (textAt(service, 'spec.type')) {
    case 'ExternalName':
      return textAt(service, 'spec.externalName');
    case 'LoadBalancer': {
      const given = objectsAt(service, 'status.loadBalancer.ingress').map(
        (each) => textAt(each, 'ip') || textAt(each, 'hostname'),
      );
      const all = [...given, ...own];
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    default:
      return own.length === 0 ? NONE : own.join(',');
  }
}

function portText(port: JsonObject): string {
  const node = numberAt(port, 'nodePort');
  const number = numberAt(port, 'port');
  return `${node === 0 ? number : `${number}:${node}`}/${textAt(port, 'protocol')}`;
}

/** The columns of endpoints. */
export const ENDPOINTS_COLUMNS: readonly PrinterColumn[] = [column('Endpoints', endpoints), AGE];

function endpoints(object: JsonObject): string {
  const all = objectsAt(object, 'subsets').flatMap((subset) => {
    const ips = objectsAt(subset, 'addresses').map(({ ip }) => (typeof ip === 'string' ? ip : ''));
    const ports = objectsAt(subset, 'ports').map((port) => numberAt(port, 'port'));
    return ports.length === 0 ? ips : ports.flatMap((port) => ips.map((ip) => `${ip}:${port}`));
  });
  return shortened(all);
}

/** The columns of endpoint slices. */
export const ENDPOINT_SLICE_COLUMNS: readonly PrinterColumn[] = [
  field('AddressType', 'addressType'),
  column('Ports', (slice) =>
    shortenedOr(
      objectsAt(slice, 'ports').map((port) =>
        String(valueAt(port, 'port') === undefined ? '*' : numberAt(port, 'port')),
      ),
      '<unset>',
    ),
  ),
  column('Endpoints', (slice) =>
    shortenedOr(
      objectsAt(slice, 'endpoints').flatMap((each) => textsAt(each, 'addresses')),
      '<unset>',
    ),
  ),
  AGE,
];

const SHOWN = 3;

function shortened(all: readonly string[]): string {
  return shortenedOr(all, NONE);
}

function shortenedOr(all: readonly string[], whenEmpty: string): string {
  if (all.length === 0) return whenEmpty;
  const more = all.length > SHOWN ? ` + ${all.length - SHOWN} more...` : '';
  return `${all.slice(0, SHOWN).join(',')}${more}`;
}

/** The columns of ingresses. */
export const INGRESS_COLUMNS: readonly PrinterColumn[] = [
  field('Class', 'spec.ingressClassName', NONE),
  column('Hosts', hosts),
  column('Address', (ingress) =>
    objectsAt(ingress, 'status.loadBalancer.ingress')
      .map((each) => textAt(each, 'ip') || textAt(each, 'hostname'))
      .join(','),
  ),
  column('Ports', (ingress) => (objectsAt(ingress, 'spec.tls').length > 0 ? '80, 443' : '80')),
  AGE,
];

function hosts(ingress: JsonObject): string {
  const named = objectsAt(ingress, 'spec.rules')
    .map((rule) => textAt(rule, 'host'))
    .filter((host) => host !== '');
  if (named.length === 0) return '*';
  const more = named.length > SHOWN ? ` + ${named.length - SHOWN} more...` : '';
  return `${named.slice(0, SHOWN).join(',')}${more}`;
}
