import type { JsonObject } from '../../object/json.ts';
import { emptyStruct } from '../decode.ts';
import { mapPart, part, text, texts, withDefaults } from '../read.ts';
import { keepStatus } from './keep-status.ts';

/** Fills in a Service's IP families in an IPv4 cluster; admission allocates the address. */
export function prepareService(object: JsonObject): JsonObject {
  const spec = withAddresses(part(object, 'spec') ?? {});
  const status = emptyStruct('core.ServiceStatus');
  if (text(spec, 'type') === 'ExternalName') return { ...object, spec, status };
  return { ...object, spec: withFamilies(spec), status };
}

/** A service that has an address has a family, and one that is no load balancer any more has lost its addresses outside. */
export function prepareServiceUpdate(object: JsonObject, old: JsonObject, subresource: string): JsonObject {
  const kept = keepStatus(object, old, subresource);
  if (subresource !== '') return kept;
  const type = text(part(kept, 'spec'), 'type');
  const filled =
    type === 'ExternalName'
      ? kept
      : mapPart(kept, 'spec', (spec) => withFamily(withOldFamilies(spec, part(old, 'spec') ?? {})));
  return type === 'LoadBalancer' ? filled : mapPart(filled, 'status', (status) => ({ ...status, loadBalancer: {} }));
}

function withAddresses(spec: JsonObject): JsonObject {
  const one = text(spec, 'clusterIP');
  return one !== '' && texts(spec, 'clusterIPs').length === 0 ? { ...spec, clusterIPs: [one] } : spec;
}

function withFamilies(spec: JsonObject): JsonObject {
  const isOpen = text(spec, 'clusterIP') === 'None' && Object.keys(part(spec, 'selector') ?? {}).length === 0;
  if (isOpen && spec['ipFamilyPolicy'] === undefined && spec['ipFamilies'] === undefined) {
    return { ...spec, ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' };
  }
  return withFamily(spec);
}

/** The policy stays, and says which families there are; only a service that has no address of its own may have both. */
function withOldFamilies(spec: JsonObject, { ipFamilyPolicy }: JsonObject): JsonObject {
  if (ipFamilyPolicy === undefined) return spec;
  const isOpen = text(spec, 'clusterIP') === 'None' && Object.keys(part(spec, 'selector') ?? {}).length === 0;
  const both = isOpen && ipFamilyPolicy === 'RequireDualStack' ? { ipFamilies: ['IPv4', 'IPv6'] } : {};
  return withDefaults(spec, { ipFamilyPolicy, ...both });
}

function withFamily(spec: JsonObject): JsonObject {
  return withDefaults(spec, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
}
