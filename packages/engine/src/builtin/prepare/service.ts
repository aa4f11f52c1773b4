import type { JsonObject } from '../../json.ts';
import { emptyStruct } from '../decode.ts';
import { part, text, texts, withDefaults } from '../read.ts';

/** Fills in the families of a service's addresses in a cluster of IPv4; the address itself is somebody else's to give. */
export function prepareService(object: JsonObject): JsonObject {
  const spec = part(object, 'spec') ?? {};
  const status = emptyStruct('core.ServiceStatus');
  if (text(spec, 'type') === 'ExternalName') return { ...object, status };
  return { ...object, spec: withFamilies(withAddresses(spec)), status };
}

function withAddresses(spec: JsonObject): JsonObject {
  const one = text(spec, 'clusterIP');
  const [first] = texts(spec, 'clusterIPs');
  if (one !== '' && first === undefined) return { ...spec, clusterIPs: [one] };
  return one === '' && first !== undefined ? { ...spec, clusterIP: first } : spec;
}

function withFamilies(spec: JsonObject): JsonObject {
  const isOpen = text(spec, 'clusterIP') === 'None' && Object.keys(part(spec, 'selector') ?? {}).length === 0;
  if (isOpen && spec['ipFamilyPolicy'] === undefined && spec['ipFamilies'] === undefined) {
    return { ...spec, ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' };
  }
  return withDefaults(spec, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
}
