/** What a request's first line asks for. */
export interface RequestTarget {
  /** As the client sent it: still percent-encoded, dots and doubled slashes in place. */
  readonly pathname: string;
  readonly query: URLSearchParams;
}

/** Splits the target of a request, in origin form (`/a?b`) or absolute form (`https://host/a?b`). Takes any text. */
export function requestTarget(url: string | undefined): RequestTarget {
  const local = (url ?? '/').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
  const mark = local.indexOf('?');
  const pathname = mark === -1 ? local : local.slice(0, mark);
  return { pathname: pathname || '/', query: new URLSearchParams(mark === -1 ? '' : local.slice(mark + 1)) };
}
