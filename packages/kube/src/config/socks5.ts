import { guard } from '@manta/base';
import { connect, isIP, type Socket } from 'node:net';
import { errorMessage } from './config-error.ts';
import { PROXY_PORTS } from './proxy-for.ts';

/** The destination of a tunnel. */
export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

const VERSION = 5;
const METHOD = { none: 0, password: 2, refused: 0xff } as const;
const ADDRESS = { ipv4: 1, name: 3, ipv6: 4 } as const;

/**
 * SOCKS5 (RFC 1928) with an optional password (RFC 1929). Names are resolved by the proxy. The error's message continues the
 * sentence "the proxy …".
 */
export async function connectSocks5(proxy: URL, target: TunnelTarget, signal: AbortSignal): Promise<Socket> {
  const socket = connect({
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: Number(proxy.port || PROXY_PORTS[proxy.protocol]),
    signal,
  });
  try {
    await opened(socket);
    await authenticate(socket, proxy);
    socket.write(connectRequest(target));
    const [, reply = -1, , addressType = -1] = await readBytes(socket, 4);
    if (reply !== 0) {
      throw new Error(`refused to connect to ${target.host}:${target.port}: ${REPLIES[reply] ?? `code ${reply}`}`);
    }
    await skipBoundAddress(socket, addressType);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function authenticate(socket: Socket, proxy: URL): Promise<void> {
  const user = Buffer.from(decodeURIComponent(proxy.username), 'utf8');
  const password = Buffer.from(decodeURIComponent(proxy.password), 'utf8');
  const methods = user.length > 0 ? [METHOD.none, METHOD.password] : [METHOD.none];
  socket.write(Uint8Array.from([VERSION, methods.length, ...methods]));
  const [version, method] = await readBytes(socket, 2);
  if (version !== VERSION) throw new Error('does not speak SOCKS5');
  if (method === METHOD.none) return;
  if (method !== METHOD.password) throw new Error('asks for a login; put a user and password into its address');
  socket.write(Uint8Array.from([1, user.length, ...user, password.length, ...password]));
  const [, outcome] = await readBytes(socket, 2);
  if (outcome !== 0) throw new Error('refused the user and password in its address');
}

function connectRequest(target: TunnelTarget): Uint8Array {
  const port = [target.port >> 8, target.port & 0xff];
  return Uint8Array.from([VERSION, 1, 0, ...addressBytes(target.host), ...port]);
}

function addressBytes(host: string): readonly number[] {
  const family = isIP(host);
  if (family === 4) return [ADDRESS.ipv4, ...host.split('.').map(Number)];
  if (family === 6) return [ADDRESS.ipv6, ...ipv6Bytes(host)];
  const name = Buffer.from(host, 'utf8');
  return [ADDRESS.name, name.length, ...name];
}

function ipv6Bytes(host: string): readonly number[] {
  // URL canonicalises (embedded IPv4 included), which leaves only `::` to expand.
  const canonical = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [left = '', right] = canonical.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return groups.map((group) => Number.parseInt(group, 16)).flatMap((value) => [value >> 8, value & 0xff]);
}

async function skipBoundAddress(socket: Socket, addressType: number): Promise<void> {
  switch (addressType) {
    case ADDRESS.ipv4:
      await readBytes(socket, 4 + 2);
      return;
    case ADDRESS.ipv6:
      await readBytes(socket, 16 + 2);
      return;
    case ADDRESS.name: {
      const [length = 0] = await readBytes(socket, 1);
      await readBytes(socket, length + 2);
      return;
    }
    default:
      throw new Error('answered with an address of unknown type');
  }
}

function opened(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once(
      'error',
      guard('connection to the API server', socket, (cause) =>
        reject(new Error(`cannot be reached (${errorMessage(cause)})`, { cause })),
      ),
    );
  });
}

/** Reads exactly `count` bytes from the socket and leaves the rest. */
function readBytes(socket: Socket, count: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      socket.off('readable', onReadable).off('end', onEnd).off('error', onError);
      finish();
    };
    const onReadable = guard('connection to the API server', socket, () => {
      const bytes: unknown = socket.read(count);
      if (bytes instanceof Uint8Array && bytes.length === count) settle(() => resolve(bytes));
    });
    const onEnd = guard('connection to the API server', socket, () =>
      settle(() => reject(new Error('closed the connection during the SOCKS5 handshake'))),
    );
    const onError = guard('connection to the API server', socket, (cause: Error) =>
      settle(() => reject(new Error(`failed (${errorMessage(cause)})`, { cause }))),
    );
    socket.on('readable', onReadable).on('end', onEnd).on('error', onError);
    onReadable();
  });
}

const REPLIES: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'not allowed by its rules',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'time to live expired',
  7: 'command not supported',
  8: 'address type not supported',
};
