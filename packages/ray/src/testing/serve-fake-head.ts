import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { isTerminal } from '../job-info.ts';
import type { FakeHead, FakeRequest } from './fake-head.ts';

/** A fake head behind a real socket. */
export interface ServedHead {
  /** `http://host:port` */
  readonly url: string;
  close(): Promise<void>;
}

const FOLLOW_EVERY_MS = 10;
const CHUNK = 64 * 1024;

/**
 * Serves a fake head on loopback, or on the address given, the WebSocket of a job's logs included; it also takes the absolute addresses
 * that proxies are sent.
 */
export async function serveFakeHead(head: FakeHead, host = '127.0.0.1'): Promise<ServedHead> {
  const server = createServer((request, response) => void respond(head, request, response));
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, first) => {
    const id = /^\/api\/jobs\/([^/]*)\/logs\/tail$/.exec(pathOf(request))?.[1];
    const job = id === undefined ? undefined : head.jobs.get(decodeURIComponent(id));
    if (job === undefined) refuse(socket);
    else sockets.handleUpgrade(request, socket, first, (client) => void follow(head, job.submission_id, client));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://${host}:${port}`,
    async close() {
      for (const client of sockets.clients) client.terminate();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function respond(head: FakeHead, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const seen: FakeRequest = {
    method: request.method ?? '',
    path: pathOf(request),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    body: await text(request),
  };
  const mood = head.moodOf(seen);
  if (mood.kind === 'dead') {
    request.destroy();
    return;
  }
  head.requests.push(seen);
  if (mood.kind === 'hanging') return;
  await sleep(head.delayMs);
  const answer =
    mood.kind === 'wrong'
      ? { status: mood.status ?? 200, body: mood.body ?? '', contentType: 'text/html' }
      : head.answer(seen);
  if (mood.kind === 'lost') {
    request.destroy();
    return;
  }
  response.writeHead(answer.status, { 'content-type': answer.contentType });
  if (mood.kind === 'wrong' && mood.bytes !== undefined) await pour(response, mood.bytes);
  response.end(answer.body);
}

async function pour(response: ServerResponse, bytes: number): Promise<void> {
  const chunk = Buffer.alloc(CHUNK, ' ');
  for (let left = bytes; left > 0 && !response.destroyed; left -= CHUNK) {
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
}

/** Sends what the job prints, and closes in order when it has ended. */
async function follow(head: FakeHead, id: string, client: WebSocket): Promise<void> {
  let sent = 0;
  for (;;) {
    const job = head.jobs.get(id);
    if (job === undefined || client.readyState !== client.OPEN) break;
    if (job.logs.length > sent) client.send(job.logs.slice(sent));
    sent = job.logs.length;
    if (isTerminal(job.status)) break;
    await sleep(FOLLOW_EVERY_MS);
  }
  client.close(1000);
}

function refuse(socket: Duplex): void {
  socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 18\r\nconnection: close\r\n\r\nJob does not exist');
}

/** Path and query, also of a request that names its whole address. */
function pathOf(request: IncomingMessage): string {
  const target = request.url ?? '/';
  if (!/^https?:\/\//.test(target)) return target;
  const url = new URL(target);
  return `${url.pathname}${url.search}`;
}
