import { isObject } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { badRequest, notFound } from '../status/errors.ts';
import { respondText } from '../http/respond.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import type { Scope } from '../requests/request.ts';
import { asJson } from '../object/stored-json.ts';
import { storedObject } from '../verbs/get.ts';
import { checkLogOptions } from './log-options.ts';
import type { PodCall } from './pod-backend.ts';
import { parseProxyName, type ProxyName, serviceTarget } from './proxy-target.ts';

const PODS = { group: '', plural: 'pods' } as const;

/** The subresources that go through to a running pod or to what a service stands for. */
export function isConnection({ resource, subresource }: Scope): boolean {
  const known = ['attach', 'exec', 'log', 'portforward', 'proxy'];
  return resource.info.group === '' && resource.info.subresources.includes(subresource) && known.includes(subresource);
}

/** Forwards a request to the pod backend; without one it fails as with an unreachable node. */
export async function connect(api: Api, scope: Scope, call: Omit<PodCall, 'pod' | 'subresource'>): Promise<void> {
  const { plural } = scope.resource.info;
  if (plural !== 'pods') {
    await toService(api, scope, call);
    return;
  }
  const target: ProxyName = scope.subresource === 'proxy' ? parseProxyName(scope.name) : { name: scope.name, port: '' };
  const pod = storedObject(api, { ...scope, name: target.name });
  const subresource = asSubresource(scope.subresource);
  checkContainer(pod, call.query.get('container'));
  if (subresource === 'log') checkLogOptions(pod, call.query);
  const node = textAt(asJson(pod), 'spec.nodeName');
  if (subresource === 'proxy' && textAt(asJson(pod), 'status.podIP') === '') throw badRequest('address not allowed');
  if (node === '' && subresource === 'log') await respondText(call.response, 204, '', 'text/plain');
  else if (node === '') throw badRequest(`pod ${target.name} does not have a host assigned`);
  else if (api.podBackend !== undefined)
    await api.podBackend.handle({ ...call, ...(target.port === '' ? {} : { port: target.port }), pod, subresource });
  else throw unreachable(api, node);
}

function asSubresource(name: string): PodCall['subresource'] {
  switch (name) {
    case 'attach':
    case 'exec':
    case 'log':
    case 'portforward':
      return name;
    default:
      return 'proxy';
  }
}

function checkContainer(pod: StoredObject, container: string | null): void {
  if (container === null || container === '') return;
  const lists = ['containers', 'initContainers', 'ephemeralContainers'].map((key) =>
    valueAt(asJson(pod), `spec.${key}`),
  );
  const names = lists.flatMap((list) => (Array.isArray(list) ? list.filter(isObject).map(({ name }) => name) : []));
  if (!names.includes(container)) throw badRequest(`container ${container} is not valid for pod ${pod.metadata.name}`);
}

function unreachable(api: Api, node: string): StatusError {
  if (api.store.get({ resource: '/nodes', namespace: '', name: node }) === undefined) return notFound(PODS, node);
  return new StatusError(500, '', `Get "https://${node}:10250": dial tcp: lookup ${node}: no such host`);
}

/** A Service's proxy leads to one of its pods; a node has nothing behind it here. */
async function toService(api: Api, scope: Scope, call: Omit<PodCall, 'pod' | 'subresource'>): Promise<void> {
  const { name, port: wanted } = parseProxyName(scope.name);
  const target = storedObject(api, { ...scope, name });
  if (scope.resource.info.plural !== 'services') throw unreachable(api, target.metadata.name);
  const { namespace, pod: podName, port } = serviceTarget(api, target, wanted);
  const pod = api.store.get({ resource: '/pods', namespace, name: podName });
  if (pod === undefined || api.podBackend === undefined)
    throw new StatusError(503, 'ServiceUnavailable', 'error trying to reach service: nobody runs its pods');
  await api.podBackend.handle({ ...call, pod, subresource: 'proxy', port: String(port) });
}
