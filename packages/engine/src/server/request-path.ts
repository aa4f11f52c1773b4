/** What a path of the API names. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** What follows a `proxy` subresource. */
  readonly rest: string;
  /** The old way to watch: `watch` before the resource. */
  readonly isWatch: boolean;
}

type Place = Omit<ResourcePath, 'group' | 'version' | 'isWatch'>;

/** Reads `/api/v1/namespaces/x/pods/y/status` and its like; undefined for paths that name no resource. */
export function parsePath(pathname: string): ResourcePath | undefined {
  const all = pathname.split('/').slice(1).map(decode);
  const isWatch = all[all[0] === 'api' ? 2 : 3] === 'watch';
  const parts = isWatch ? all.toSpliced(all[0] === 'api' ? 2 : 3, 1) : all;
  const isCore = parts[0] === 'api';
  if (!isCore && parts[0] !== 'apis') return undefined;
  const group = isCore ? '' : (parts[1] ?? '');
  const version = (isCore ? parts[1] : parts[2]) ?? '';
  const rest = parts.slice(isCore ? 2 : 3).filter((part, index, list) => part !== '' || index < list.length - 1);
  if (version === '' || rest.length === 0 || rest[0] === '') return undefined;
  return { group, version, isWatch, ...(isInNamespace(rest) ? inNamespace(rest) : named('', rest)) };
}

/** `/namespaces/x/pods`, but not the namespace itself nor its own subresources. */
function isInNamespace(parts: readonly string[]): boolean {
  return (
    parts[0] === 'namespaces' && parts.length > 2 && !(parts.length === 3 && OWN_SUBRESOURCES.includes(parts[2] ?? ''))
  );
}

const OWN_SUBRESOURCES: readonly string[] = ['status', 'finalize'];

function inNamespace([, namespace = '', ...rest]: readonly string[]): Place {
  return named(namespace, rest);
}

function named(namespace: string, [plural = '', name = '', subresource = '', ...rest]: readonly string[]): Place {
  return { namespace, plural, name, subresource, rest: rest.join('/') };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
