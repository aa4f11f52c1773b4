import { badRequest } from '../../server/errors.ts';
import { StatusError } from '../../status-error.ts';
import type { PodCall } from '../../server/subresources/pod-backend.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

/** Headers that belong to one connection, and the caller's credentials, which are none of the pod's business. */
const LEFT_OUT = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'authorization',
  'host',
  'proxy-connection',
  'te',
]);

/** Passes a request on to a port of a pod, and its answer back, as they stream. */
export async function serveProxy(sandbox: Sandbox, defaultPort: number, call: PodCall): Promise<void> {
  const { request, response, rest, query } = call;
  const port = Number(call.port ?? defaultPort);
  if (!(port > 0 && port < 65_536)) throw badRequest(`invalid port "${call.port ?? ''}": it must be a number`);
  const socket = await sandbox.connect(port).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new StatusError(503, 'ServiceUnavailable', `error trying to reach service: ${why}`);
  });
  const { request: send } = process.getBuiltinModule('node:http');
  const kept = Object.entries(request.headers).filter(([name]) => !name.startsWith(':') && !LEFT_OUT.has(name));
  const headers = { ...Object.fromEntries(kept), host: `${sandbox.ip}:${port}`, connection: 'close' };
  const search = query.toString();
  const path = `/${rest.replace(/^\//, '')}${search === '' ? '' : `?${search}`}`;
  await new Promise<void>((resolve, reject) => {
    const onward = send({ method: request.method, path, headers, createConnection: () => socket }, (answer) => {
      const passed = Object.entries(answer.headers).filter(([name]) => !LEFT_OUT.has(name));
      response.writeHead(
        answer.statusCode ?? 502,
        Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
      );
      answer.on('data', (chunk: Buffer) => {
        if (!response.write(chunk)) answer.pause();
      });
      response.on('drain', () => answer.resume());
      answer.once('end', () => {
        response.end();
        resolve();
      });
      answer.once('error', reject);
    });
    onward.once('error', (error) =>
      reject(new StatusError(503, 'ServiceUnavailable', `error trying to reach service: ${error.message}`)),
    );
    response.on('close', () => {
      onward.destroy();
      resolve();
    });
    request.pipe(onward);
  });
}
