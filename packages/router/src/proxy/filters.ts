import type { Call } from './call.ts';
import { changeHeaders } from './headers.ts';
import { pathOf } from './match.ts';
import type { Filter, PathChange, RequestMatch } from './route-table.ts';

/** How a request looks to the backend. */
export interface Rewritten {
  readonly target: string;
  readonly host: string;
}

/** Applies what changes the request; `headers` is changed in place. */
export function filterRequest(
  filters: readonly Filter[],
  call: Pick<Call, 'target' | 'host'>,
  match: RequestMatch,
  headers: string[],
): Rewritten {
  let { target, host } = call;
  for (const filter of filters) {
    if (filter.kind === 'request-headers') changeHeaders(headers, filter.change);
    if (filter.kind !== 'rewrite') continue;
    host = filter.hostname ?? host;
    if (filter.path !== undefined) target = changePath(target, filter.path, match);
  }
  return { target, host };
}

/** Applies what changes the answer, in place. */
export function filterResponse(filters: readonly Filter[], headers: string[]): void {
  for (const filter of filters) if (filter.kind === 'response-headers') changeHeaders(headers, filter.change);
}

/** The answer of a rule that never asks a backend: a redirect, or a refusal. */
export function answerOf(
  filters: readonly Filter[],
  call: Pick<Call, 'target' | 'host' | 'isSecure'>,
  match: RequestMatch,
): { readonly status: number; readonly why: string; readonly location?: string } | undefined {
  for (const filter of filters) {
    if (filter.kind === 'refuse') return { status: 500, why: filter.why };
    if (filter.kind !== 'redirect') continue;
    const scheme = filter.scheme ?? (call.isSecure ? 'https' : 'http');
    const [name = '', ownPort] = call.host.split(':');
    const port = filter.port ?? (filter.scheme === undefined ? ownPort : undefined);
    const isUsual = Number(port) === (scheme === 'https' ? 443 : 80);
    const place = `${filter.hostname ?? name}${port === undefined || isUsual ? '' : `:${port}`}`;
    const target = filter.path === undefined ? call.target : changePath(call.target, filter.path, match);
    const location = `${scheme}://${place}${target}`;
    return { status: filter.status, why: `moved to ${location}`, location };
  }
  return undefined;
}

function changePath(target: string, change: PathChange, match: RequestMatch): string {
  const path = pathOf(target);
  const query = target.slice(path.length);
  if (change.kind === 'full') return change.value + query;
  const prefix = match.path?.kind === 'prefix' ? match.path.value.replace(/\/$/, '') : '';
  const rest = path.slice(prefix.length);
  const joined = change.value.replace(/\/$/, '') + (rest === '' || rest.startsWith('/') ? rest : `/${rest}`);
  return (joined === '' ? '/' : joined) + query;
}
