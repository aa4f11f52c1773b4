import { guard, messageOf } from '@manta/base';
import type { Duplex } from 'node:stream';
import { serveSpdy, type SpdyStream } from '@manta/apiserver';
import type { Sandbox } from '../sandbox/sandbox.ts';

/** Each connection has two streams with the same number: first an error stream, then a data stream. */
export async function forwardStreams(sandbox: Pick<Sandbox, 'connect'>, transport: Duplex): Promise<void> {
  const waiting = new Map<string, SpdyStream>();
  await serveSpdy(transport, (stream) => {
    const number = stream.headers.get('requestid') ?? '';
    if (stream.headers.get('streamtype') === 'error') {
      waiting.set(number, stream);
      stream.once('close', () => waiting.delete(number));
      // Its client only listens.
      stream.resume();
      return;
    }
    const problems = waiting.get(number);
    waiting.delete(number);
    void forward(sandbox, Number(stream.headers.get('port')), stream, problems);
  });
}

async function forward(
  sandbox: Pick<Sandbox, 'connect'>,
  port: number,
  data: SpdyStream,
  problems: SpdyStream | undefined,
): Promise<void> {
  try {
    const connection = await sandbox.connect(port);
    connection.once(
      'error',
      guard('port-forward', connection, (error) => problems?.end(describeError(port, error))),
    );
    connection.once(
      'close',
      guard('port-forward', connection, () => {
        data.end();
        problems?.end();
        data.unpipe(connection);
        discard(data);
      }),
    );
    if (data.destroyed) {
      connection.destroy();
      return;
    }
    data.once('close', () => connection.destroy());
    connection.pipe(data).pipe(connection);
  } catch (error) {
    problems?.end(describeError(port, error));
    data.end();
    discard(data);
  }
}

/** Unread data of one stream would block all streams of the connection. */
function discard(data: SpdyStream): void {
  data.resume();
}

function describeError(port: number, error: unknown): string {
  return `error forwarding port ${port}: ${messageOf(error)}`;
}
