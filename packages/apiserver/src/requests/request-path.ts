/** What a path of the API names. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** The path after a `proxy` subresource, still percent-encoded: the pod decodes it. */
  readonly rest: string;
  /** The old way to watch: `watch` before the resource. */
  readonly isWatch: boolean;
}

/** Reads `/api/v1/namespaces/x/pods/y/status` and its like; undefined for paths that name no resource. */
export function parsePath(pathname: string): ResourcePath | undefined {
  const all = pathname.split('/').slice(1);
  const isWatch = decode(all[all[0] === 'api' ? 2 : 3]) === 'watch';
  const parts = isWatch ? all.toSpliced(all[0] === 'api' ? 2 : 3, 1) : all;
  const isCore = parts[0] === 'api';
  if (!isCore && parts[0] !== 'apis') return undefined;
  const group = isCore ? '' : decode(parts[1]);
  const version = decode(isCore ? parts[1] : parts[2]);
  const raw = parts.slice(isCore ? 2 : 3);
  const named = raw.filter((part, index) => part !== '' || index < raw.length - 1).map(decode);
  if (version === '' || named.length === 0 || named[0] === '') return undefined;
  const isNamespaced = isInNamespace(named);
  const [plural = '', name = '', subresource = ''] = isNamespaced ? named.slice(2) : named;
  const rest = raw.slice(isNamespaced ? 5 : 3).join('/');
  return {
    group,
    version,
    isWatch,
    namespace: isNamespaced ? (named[1] ?? '') : '',
    plural,
    name,
    subresource,
    rest,
  };
}

/** `/namespaces/x/pods`, but not the namespace itself nor its own subresources. */
function isInNamespace(parts: readonly string[]): boolean {
  return (
    parts[0] === 'namespaces' && parts.length > 2 && !(parts.length === 3 && OWN_SUBRESOURCES.includes(parts[2] ?? ''))
  );
}

const OWN_SUBRESOURCES: readonly string[] = ['status', 'finalize'];

function decode(part = ''): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
