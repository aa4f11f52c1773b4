import type { JsonObject } from '../../json.ts';
import { emptyStruct } from '../decode.ts';
import { part, text, texts, withDefaults } from '../read.ts';

/** Fills in the families of a service's addresses in a cluster of IPv4; the address itself is somebody else's to give. */
export function prepareService(object: JsonObject): JsonObject {
  const spec = withAddresses(part(object, 'spec') ?? {});
  const status = emptyStruct('core.ServiceStatus');
  if (text(spec, 'type') === 'ExternalName') return { ...object, spec, status };
  return { ...object, spec: withFamilies(spec), status };
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
  return withDefaults(spec, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
}
