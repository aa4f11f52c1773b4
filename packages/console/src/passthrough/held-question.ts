import type { AccessQuestion } from '@manta/kube';

/** Group, namespace and resource of every collection on the allow-list. */
const WATCHES: readonly RegExp[] = [
  /^\/apis\/(ray\.io|events\.k8s\.io)\/v1(?:\/namespaces\/([^/]+))?\/([a-z]+)$/,
  /^\/api\/v1()\/namespaces\/([^/]+)\/([a-z]+)$/,
];
const LOG = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/log$/;

/** The right that an answer without end needs as long as it lasts; undefined: the answer ends soon. */
export function heldQuestion(path: string, params: URLSearchParams): AccessQuestion | undefined {
  if (isOn(params, 'watch'))
    for (const watch of WATCHES) {
      const [, group, namespace, resource] = watch.exec(path) ?? [];
      if (group !== undefined && resource !== undefined)
        return { verb: 'watch', group, resource, namespace, name: nameIn(params) };
    }
  const log = isOn(params, 'follow') ? LOG.exec(path) : null;
  if (log === null) return undefined;
  return { verb: 'get', group: '', resource: 'pods', subresource: 'log', namespace: log[1], name: log[2] };
}

/** As the API server reads it: whatever is there and not `false` or `0` is true, an empty text included. */
function isOn(params: URLSearchParams, name: string): boolean {
  const value = params.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

/** A watch of one object needs no more than the right to watch that one. */
function nameIn(params: URLSearchParams): string | undefined {
  return /(?:^|,)metadata\.name==?([^,=]+)/.exec(params.get('fieldSelector') ?? '')?.[1];
}
