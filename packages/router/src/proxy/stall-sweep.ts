import { guard } from '@manta/base';
import type { Writable } from 'node:stream';

/** Ends a connection whose other end does not read. Called again while that has had no effect. */
export type Cut = (attempt: number) => void;

/** Watches streams on which something waits to be sent. */
export interface StallSweep {
  /** From now until it closes. A stream on which nothing waits may take its time. */
  watch(stream: Writable, cut: Cut): void;
  stop(): void;
}

interface Watched {
  readonly cut: Cut;
  /** Changes whenever something was sent. */
  mark: number;
  /** Since when there is something to send and the mark has not changed. */
  since: number | undefined;
  drains: number;
  attempts: number;
}

/**
 * A client or backend that never reads would keep data in our memory and block the other side. One timer checks all connections, so that
 * requests cost nothing extra. Within `stallMs` the other end must read at least what is buffered, some tens of kilobytes.
 */
export function createStallSweep(stallMs: number, checkMs: number): StallSweep {
  const all = new Map<Writable, Watched>();
  const look = guard('router', undefined, () => {
    const now = performance.now();
    for (const [stream, watched] of all) {
      const mark = sent(stream, watched);
      if (!isWaiting(stream) || mark !== watched.mark) {
        watched.mark = mark;
        watched.since = isWaiting(stream) ? now : undefined;
      } else if (watched.since === undefined) watched.since = now;
      else if (now - watched.since >= stallMs) watched.cut((watched.attempts += 1));
    }
  });
  const timer = setInterval(look, Math.max(1, Math.min(checkMs, stallMs / 2))).unref();
  return {
    watch(stream, cut) {
      const watched: Watched = { cut, mark: 0, since: undefined, drains: 0, attempts: 0 };
      all.set(stream, watched);
      stream.on('drain', () => {
        watched.drains += 1;
      });
      stream.once('close', () => all.delete(stream));
    },
    stop: () => clearInterval(timer),
  };
}

function isWaiting(stream: Writable): boolean {
  return !stream.destroyed && (stream.writableLength > 0 || (stream.writableEnded && !stream.writableFinished));
}

/** Sockets count bytes; HTTP/2 streams only report when there is room again. */
function sent(stream: Writable, { drains }: Watched): number {
  const bytes = 'bytesWritten' in stream && typeof stream.bytesWritten === 'number' ? stream.bytesWritten : 0;
  return bytes - stream.writableLength + drains;
}
