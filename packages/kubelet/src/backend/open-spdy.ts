import type { Duplex } from 'node:stream';
import { type PodCall, StatusError, takeUpgrade, wantsUpgrade } from '@manta/apiserver';
import { openChannels } from './channels.ts';

const SPDY = 'SPDY/3.1';
const VERSION_HEADER = 'x-stream-protocol-version';

/**
 * The connection on which a client wants to speak SPDY with this protocol of streams; undefined if it wants to speak something else. Refuses
 * a client that knows only other protocols.
 */
export function openSpdy({ request }: PodCall, protocol: string): Duplex | undefined {
  if (wantsUpgrade(request)?.toLowerCase() !== SPDY.toLowerCase()) return undefined;
  const offered = [request.headers[VERSION_HEADER] ?? []].flat().flatMap((text) => text.split(/, */));
  if (!offered.includes(protocol))
    throw new StatusError(
      403,
      'Forbidden',
      `unable to upgrade: the client offers ${offered.join(', ') || 'no protocol'}; ${protocol} is served here`,
    );
  const upgrade = takeUpgrade(request);
  const answer = ['101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${SPDY}`];
  upgrade?.socket.write(`HTTP/1.1 ${[...answer, `X-Stream-Protocol-Version: ${protocol}`].join('\r\n')}\r\n\r\n`);
  upgrade?.socket.unshift(upgrade.head);
  return upgrade?.socket;
}

/** The same inside a WebSocket, as newer clients tunnel SPDY. */
export async function openSpdyTunnel(call: PodCall, protocol: string): Promise<Duplex | undefined> {
  const tunnel = `${SPDY}+${protocol}`;
  if (!(call.request.headers['sec-websocket-protocol'] ?? '').split(/, */).includes(tunnel)) return undefined;
  const socket = await openChannels(call, [tunnel]);
  const { createWebSocketStream } = await import('ws');
  return createWebSocketStream(socket);
}
