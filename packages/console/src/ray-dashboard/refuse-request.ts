import type { IncomingMessage } from 'node:http';
import type { PathUse } from './allowed-paths.ts';

export interface DashboardRefusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 421 | 502;
  readonly message: string;
}

/** What a request must fulfil before anybody is asked about rights; undefined: it may go on. */
export function refuseRequest(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  { suffix, use, path }: { readonly suffix: string; readonly use: PathUse; readonly path: string },
): DashboardRefusal | undefined {
  const host = (headers.host ?? '').toLowerCase();
  if (!host.endsWith(`.${suffix}`) || host.slice(0, -suffix.length - 1).includes('.'))
    return { status: 421, message: 'No Ray dashboard has this host: open it from the console.' };
  if (method !== 'GET' && method !== 'HEAD')
    return {
      status: 405,
      message: `Ray dashboards are read-only here: ${method} is refused. Submit a RayJob, or use kubectl ray session.`,
    };
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0')
    return { status: 400, message: 'A read has no body.' };
  if (headers['service-worker'] !== undefined) return { status: 403, message: 'Service workers are refused here.' };
  const site = headers['sec-fetch-site'];
  const isForeign = site === 'cross-site' || site === 'same-site';
  if (isForeign && !(path === '/' && headers['sec-fetch-mode'] === 'navigate'))
    return { status: 403, message: 'A page of another origin may not read this.' };
  if (use === 'refused')
    return { status: 404, message: `The console does not pass ${path === '' ? 'this path' : path} on to Ray.` };
  return undefined;
}
