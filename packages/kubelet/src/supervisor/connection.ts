import { guard } from '@manta/base';
import type { Socket } from 'node:net';

/** Resolves with the first line that arrives, and leaves everything after it in the stream for the next reader. */
export function readFirstLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const finish = (settle: () => void) => {
      socket.off('readable', onReadable).off('end', onEnd).off('error', onError);
      settle();
    };
    const onReadable = guard('supervisor', socket, () => {
      for (let chunk: unknown = socket.read(); Buffer.isBuffer(chunk); chunk = socket.read()) {
        seen = Buffer.concat([seen, chunk]);
        const end = seen.indexOf(10);
        if (end >= 0) {
          const rest = seen.subarray(end + 1);
          if (rest.length > 0) socket.unshift(rest);
          finish(() => resolve(seen.subarray(0, end).toString('utf8')));
          return;
        }
      }
    });
    const onEnd = guard('supervisor', socket, () =>
      finish(() => reject(new Error('the connection ended before its first line'))),
    );
    const onError = guard('supervisor', socket, (error: Error) => finish(() => reject(error)));
    socket.on('readable', onReadable).once('end', onEnd).once('error', onError);
  });
}

/** Calls back with each line of a stream. */
export function onLines(socket: Socket, handle: (line: string) => void): void {
  let text = '';
  socket.setEncoding('utf8').on(
    'data',
    guard('supervisor', socket, (chunk: string) => {
      const parts = (text + chunk).split('\n');
      text = parts.pop() ?? '';
      for (const line of parts) handle(line);
    }),
  );
}
