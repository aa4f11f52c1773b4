import { guard } from '@manta/base';
import type { Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { badRequest, type PodCall, takeUpgrade, wantsUpgrade } from '@manta/apiserver';

/** Opens the WebSocket that a request asks for, with the first of our protocols that the client knows. */
export async function openChannels({ request }: PodCall, protocols: readonly string[]): Promise<WebSocket> {
  if (wantsUpgrade(request)?.toLowerCase() !== 'websocket')
    throw badRequest('unable to upgrade: WebSockets and SPDY/3.1 are served here');
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/, */);
  const chosen = protocols.find((protocol) => offered.includes(protocol));
  if (chosen === undefined) throw badRequest(`unable to upgrade: none of ${offered.join(', ')} is spoken here`);
  const upgrade = takeUpgrade(request);
  if (upgrade === undefined) throw badRequest('unable to upgrade: the connection is gone');
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  // Chosen here, because the library refuses names with a slash, such as kubectl's.
  delete upgrade.request.headers['sec-websocket-protocol'];
  server.once(
    'headers',
    guard('pod streams', undefined, (headers) => headers.push(`Sec-WebSocket-Protocol: ${chosen}`)),
  );
  return await new Promise((resolve) => {
    server.handleUpgrade(upgrade.request, upgrade.socket, upgrade.head, (socket) => {
      socket.on('error', () => socket.terminate());
      // Clients send at once: messages are buffered until a listener is attached.
      socket.pause();
      resolve(socket);
    });
  });
}

/** Sends bytes on a channel; they wait here for a client that is slow to read. */
export function sendOn(socket: WebSocket, channel: number, bytes: Uint8Array): void {
  void sendWhole(socket, channel, bytes);
}

/** Sends bytes on a channel; resolves when they are sent, or the client has left. */
export function sendWhole(socket: WebSocket, channel: number, bytes: Uint8Array): Promise<void> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve();
  return new Promise((resolve) => {
    socket.send(Buffer.concat([Buffer.from([channel]), bytes]), () => resolve());
  });
}

/** Sends what a stream says on a channel, no faster than the client takes it; resolves when the stream is over, however it ended. */
export function sendAll(socket: WebSocket, channel: number, stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    const onData = async (chunk: Buffer) => {
      stream.pause();
      await sendWhole(socket, channel, chunk);
      stream.resume();
    };
    stream.on(
      'data',
      guard(
        'pod streams',
        () => socket.terminate(),
        (chunk: Buffer) => onData(chunk),
      ),
    );
    for (const over of ['end', 'error', 'close']) stream.once(over, () => resolve());
  });
}

/** Calls back with every message, by channel, from the first one on. */
export function onChannels(socket: WebSocket, handle: (channel: number, bytes: Buffer) => void): void {
  socket.on(
    'message',
    guard(
      'pod streams',
      () => socket.terminate(),
      (data) => {
        const bytes = Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
        if (bytes.length > 0) handle(bytes[0] ?? 0, bytes.subarray(1));
      },
    ),
  );
  socket.resume();
}

const ASK_MS = 1000;

/** Hands on what a client says no faster than the pod takes it. Meanwhile nothing is heard of the client, so it is asked whether it is there. */
export function feed(socket: WebSocket, to: Writable, bytes: Buffer): void {
  if (!to.writable || to.write(bytes) || socket.isPaused) return;
  socket.pause();
  const asking = setInterval(
    guard('pod streams', undefined, () => socket.ping()),
    ASK_MS,
  );
  const over = ['drain', 'close', 'error'];
  const goOn = () => {
    clearInterval(asking);
    for (const event of over) to.off(event, goOn);
    socket.off('close', goOn).resume();
  };
  for (const event of over) to.on(event, goOn);
  socket.on('close', goOn);
}
