import { isObject, type JsonObject } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { badRequest } from '../status/errors.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import { labelsOf } from '../object/metadata.ts';
import { asJson } from '../object/stored-json.ts';

/** What the name in a proxy's path stands for: `name`, `name:port` or `scheme:name:port`. */
export interface ProxyName {
  readonly name: string;
  /** A number or a port's name; empty where none is given. */
  readonly port: string;
}

/** Reads the name in a proxy's path. */
export function parseProxyName(text: string): ProxyName {
  const parts = text.split(':');
  if (parts.length > 3) throw badRequest(`invalid proxy target "${text}": it is name, name:port or scheme:name:port`);
  const [first = '', second = '', third = ''] = parts;
  return parts.length === 3 ? { name: second, port: third } : { name: first, port: second };
}

/** A pod that answers for a Service, and its port. */
export interface ServiceTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** Finds a ready pod behind a Service's port; throws what the real server answers when there is none. */
export function serviceTarget(api: Api, service: StoredObject, port: string): ServiceTarget {
  const { name, namespace = '' } = service.metadata;
  const portName = portNameOf(service, port);
  for (const slice of api.store.list('discovery.k8s.io/endpointslices', { namespace })) {
    if (labelsOf(slice)['kubernetes.io/service-name'] !== name) continue;
    const json = asJson(slice);
    const number = objects(json, 'ports').find((each) => textAt(each, 'name') === portName)?.['port'];
    const endpoint = objects(json, 'endpoints').find((each) => valueAt(each, 'conditions.ready') !== false);
    if (typeof number !== 'number' || endpoint === undefined) continue;
    const pod = textAt(endpoint, 'targetRef.name');
    if (pod !== '') return { namespace: textAt(endpoint, 'targetRef.namespace') || namespace, pod, port: number };
  }
  throw new StatusError(503, 'ServiceUnavailable', `no endpoints available for service "${name}"`);
}

/** The name of the Service's port that is meant; the only one where none is given. */
function portNameOf(service: StoredObject, port: string): string {
  const ports = objects(asJson(service), 'spec.ports');
  const [first] = ports;
  if (port === '') return ports.length === 1 && first !== undefined ? textAt(first, 'name') : '';
  if (!/^\d+$/.test(port)) return port;
  const numbered = ports.find((each) => each['port'] === Number(port));
  if (numbered !== undefined) return textAt(numbered, 'name');
  const { name } = service.metadata;
  throw new StatusError(503, 'ServiceUnavailable', `no service port ${port} found for service "${name}"`);
}

function objects(json: JsonObject, path: string): readonly JsonObject[] {
  const list = valueAt(json, path);
  return Array.isArray(list) ? list.filter(isObject) : [];
}
