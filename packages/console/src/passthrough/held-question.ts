import type { AccessQuestion } from '@manta/kube';

const WATCH = /^\/apis\/ray\.io\/v1(?:\/namespaces\/([^/]+))?\/([a-z]+)$/;
const LOG = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/log$/;

/** The right that an answer without end needs as long as it lasts; undefined: the answer ends soon. */
export function heldQuestion(path: string, params: URLSearchParams): AccessQuestion | undefined {
  const isOn = (name: string) => ['true', '1'].includes(params.get(name) ?? '');
  const watch = isOn('watch') ? WATCH.exec(path) : null;
  if (watch !== null) return { verb: 'watch', group: 'ray.io', resource: watch[2] ?? '', namespace: watch[1] };
  const log = isOn('follow') ? LOG.exec(path) : null;
  if (log === null) return undefined;
  return { verb: 'get', group: '', resource: 'pods', subresource: 'log', namespace: log[1], name: log[2] };
}
