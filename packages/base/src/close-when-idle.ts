import type { ServerHttp2Session } from 'node:http2';
import { guard, guardConnection } from './guard.ts';

/**
 * Closes an HTTP/2 session that has had no open stream for `idleMs`. A client that reads nothing never learns that the session is closing,
 * so its connection is destroyed after another `idleMs`. `place` names the server in failures.
 */
export function closeWhenIdle(place: string, session: ServerHttp2Session, idleMs: number): void {
  let open = 0;
  session.on(
    'stream',
    guardConnection(place, (stream) => {
      open += 1;
      stream.once('close', () => (open -= 1));
    }),
  );
  session.setTimeout(idleMs);
  session.on(
    'timeout',
    guard(place, session, () => {
      if (open > 0) return;
      session.close();
      const end = setTimeout(() => session.destroy(), idleMs).unref();
      session.once('close', () => clearTimeout(end));
    }),
  );
}
