import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { guard, messageOf } from '@manta/base';
import { execInPod, mayI, type PodSession } from '@manta/kube';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ConsoleParts } from '../console-parts.ts';
import { findSession } from '../identity/find-session.ts';
import type { ViewerSession } from '../identity/sessions.ts';
import { whileAllowed } from '../identity/while-allowed.ts';
import { isSameOrigin, refuse } from '../http/request-guard.ts';
import type { ExecOutput } from '../protocol.ts';
import { readInput } from './exec-input.ts';

const PATH = /^\/api\/exec\/([a-z0-9][a-z0-9.-]*)\/([a-z0-9][a-z0-9.-]*)$/;
const MAX_INPUT_BYTES = 64 * 1024;
/** A session's terminals at one time: each holds a connection to the API server. */
const MAX_TERMINALS = 10;

/** Serves terminals: `upgrade` requests of Node's server. Every other upgrade is refused. */
export function createExecSockets(parts: ConsoleParts) {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_INPUT_BYTES, perMessageDeflate: false });
  const open = new Map<string, number>();
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    const headers = new Headers(pairsOf(request));
    const url = new URL(request.url ?? '/', 'http://console');
    const [, namespace, pod] = PATH.exec(url.pathname) ?? [];
    const session = findSession(parts, headers, url.href);
    const refused = refuse('GET', headers, { hosts: parts.hosts() });
    if (refused !== undefined) hangUp(socket, refused.status, refused.message);
    // A WebSocket is not bound by the same-origin policy: the Origin header is what tells a foreign page.
    else if (!isSameOrigin(headers)) hangUp(socket, 403, 'a terminal is opened by the console only');
    else if (session === undefined) hangUp(socket, 401, 'log in first');
    else if (namespace === undefined || pod === undefined) hangUp(socket, 404, 'there is nothing to upgrade here');
    else if ((open.get(session.id) ?? 0) >= MAX_TERMINALS)
      hangUp(socket, 429, `you have ${MAX_TERMINALS} terminals open, the limit: close one`);
    else
      server.handleUpgrade(request, socket, head, (webSocket) => {
        open.set(session.id, (open.get(session.id) ?? 0) + 1);
        const target = { namespace, pod, params: url.searchParams };
        void serve(parts, session, target, webSocket).finally(() => {
          const left = (open.get(session.id) ?? 1) - 1;
          if (left === 0) open.delete(session.id);
          else open.set(session.id, left);
        });
      });
  };
}

interface ExecTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly params: URLSearchParams;
}

async function serve(parts: ConsoleParts, session: ViewerSession, target: ExecTarget, socket: WebSocket) {
  const { clock, log } = parts;
  const { namespace, pod, params } = target;
  const { user } = session.viewer;
  const container = params.get('container') ?? undefined;
  const command = params.getAll('command');
  const closed = new AbortController();
  const right = { verb: 'create', group: '', resource: 'pods', subresource: 'exec', namespace, name: pod };
  const signal = whileAllowed(right, {
    client: session.access.client,
    clock,
    signal: AbortSignal.any([session.ended, closed.signal]),
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => closed.abort(new Error('the browser left')));
  const say = (output: ExecOutput) => socket.send(JSON.stringify(output));
  try {
    // Older API servers ask only for `get`, which roles for readers often have.
    if (!(await mayI(session.access.client, right, { signal })).isAllowed)
      throw new Error(
        `you may not run commands in pods of namespace ${namespace}. Ask for the verb "create" on pods/exec.`,
      );
    // Before the command starts: whoever leaves at once may have started it.
    log.info('Exec', { user, namespace, pod, container, command: command.join(' ') });
    const running = await execInPod(session.access.connection, {
      namespace,
      pod,
      container,
      command: command.length === 0 ? ['sh'] : command,
      stdin: true,
      tty: true,
      signal,
      clock,
    });
    say({ type: 'open' });
    const { code } = await carry(running, socket);
    say({ type: 'exit', code });
  } catch (error) {
    if (!closed.signal.aborted) log.info('Exec failed', { user, namespace, pod, error: messageOf(error) });
    say({ type: 'exit', problem: messageOf(signal.aborted ? signal.reason : error) });
  } finally {
    socket.close(1000);
    closed.abort(new Error('the command has ended'));
  }
}

/** Carries input and output until the command ends. Output waits until the browser has taken what was sent before. */
async function carry(running: PodSession, socket: WebSocket): Promise<{ readonly code: number }> {
  running.stdin.on('error', () => undefined);
  socket.on(
    'message',
    guard(
      'terminal',
      () => socket.terminate(),
      (data: Buffer, isBinary: boolean) => {
        const input = readInput(data, isBinary);
        if (input.type === 'resize') running.resize(input.columns, input.rows);
        else if (input.type === 'bytes' && !running.stdin.write(input.bytes)) {
          socket.pause();
          running.stdin.once('drain', () => socket.resume());
        }
      },
    ),
  );
  for await (const chunk of running.stdout)
    await new Promise<void>((resolve, reject) => {
      socket.send(chunk, { binary: true }, (error) => (error ? reject(error) : resolve()));
    });
  return await running.exit;
}

function hangUp(socket: Duplex, status: number, message: string): void {
  const body = JSON.stringify({ message });
  const head = `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
  // The caller's half of the connection would stay open as long as the caller likes.
  socket.once('finish', () => socket.destroy());
  socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`);
}

function pairsOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
}
