import { isObject, type JsonObject } from '../object/json.ts';
import type { Store } from '../store/contract.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import { labelsOf } from '../object/metadata.ts';
import { asJson } from '../object/stored-json.ts';

/** Where a webhook listens. */
export interface WebhookAddress {
  /** As messages name it. */
  readonly url: string;
  /** The name that its certificate must carry. */
  readonly serverName: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

/** Finds a webhook: at its URL, or behind its service by the service's endpoints. Throws where there is none. */
export function webhookAddress(store: Store, clientConfig: JsonObject): WebhookAddress {
  const url = textAt(clientConfig, 'url');
  if (url !== '') {
    const { hostname, port, pathname, search } = new URL(url);
    return { url, serverName: hostname, host: hostname, port: Number(port || 443), path: `${pathname}${search}` };
  }
  const service = isObject(clientConfig['service']) ? clientConfig['service'] : {};
  const [namespace, name] = [textAt(service, 'namespace'), textAt(service, 'name')];
  const asked = service['port'];
  const port = typeof asked === 'number' ? asked : 443;
  const path = `/${textAt(service, 'path').replace(/^\//, '')}`;
  const serverName = `${name}.${namespace}.svc`;
  return { url: `https://${serverName}:${port}${path}`, serverName, path, ...endpointOf(store, namespace, name, port) };
}

function endpointOf(store: Store, namespace: string, name: string, port: number): { host: string; port: number } {
  const service = store.get({ resource: '/services', namespace, name });
  if (service === undefined) throw new Error(`service "${name}" not found`);
  const ports = listAt(asJson(service), 'spec.ports');
  const portName = textAt(ports.find((candidate) => candidate['port'] === port) ?? {}, 'name');
  const slices = store
    .list('discovery.k8s.io/endpointslices', { namespace })
    .filter((slice) => labelsOf(slice)['kubernetes.io/service-name'] === name)
    .map(asJson);
  for (const slice of slices) {
    const target = listAt(slice, 'ports').find((candidate) => textAt(candidate, 'name') === portName)?.['port'];
    const ready = listAt(slice, 'endpoints').find((endpoint) => valueAt(endpoint, 'conditions.ready') !== false);
    const address = ready === undefined ? undefined : valueAt(ready, 'addresses');
    const [host] = Array.isArray(address) ? address : [];
    if (typeof host === 'string' && typeof target === 'number') return { host, port: target };
  }
  throw new Error(`no endpoints available for service "${name}"`);
}

function listAt(object: JsonObject, path: string): readonly JsonObject[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter(isObject) : [];
}
