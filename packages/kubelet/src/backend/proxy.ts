import { messageOf } from '@manta/base';
import { badRequest, type PodCall, StatusError } from '@manta/apiserver';
import { endToEnd, relay } from '../network/relay.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

/** The caller's credentials, which a pod must not see, and the name of the API server. */
const WITHHELD: ReadonlySet<string> = new Set(['authorization', 'host']);

/** Passes a request on to a port of a pod, and its answer back, as they stream. */
export async function serveProxy(
  sandbox: Pick<Sandbox, 'connect' | 'ip'>,
  defaultPort: number,
  call: PodCall,
): Promise<void> {
  const { request, response } = call;
  const port = Number(call.port ?? defaultPort);
  if (!(Number.isInteger(port) && port > 0 && port < 65_536))
    throw badRequest(`invalid port "${call.port ?? ''}": it must be a number from 1 to 65535`);
  const path = pathOf(call);
  try {
    const socket = await sandbox.connect(port);
    const headers = { ...endToEnd(request.headers, WITHHELD), host: `${sandbox.ip}:${port}` };
    await relay(request, response, { socket, method: request.method, path, headers });
  } catch (error) {
    const why = messageOf(error);
    throw new StatusError(503, 'ServiceUnavailable', `error trying to reach service: ${why}`);
  }
}

/** The path and query as the client wrote them: a pod decodes its own paths. */
function pathOf({ rest, request }: PodCall): string {
  const [target = ''] = (request.url ?? '/').split('#');
  const mark = target.indexOf('?');
  return `/${rest.replace(/^\/+/, '')}${mark === -1 ? '' : target.slice(mark)}`;
}
