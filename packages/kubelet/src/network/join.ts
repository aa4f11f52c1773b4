import { guard } from '@manta/base';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Makes one connection of two: what one side sends reaches the other, no faster than that one takes it; an end of one direction leaves the
 * other open; and a side that breaks off breaks the other.
 */
export function join(a: Duplex, b: Duplex): void {
  lead(a, b);
  lead(b, a);
}

function lead(from: Duplex, to: Duplex): void {
  // What went wrong shows in how it closes.
  from.on('error', () => undefined);
  from.once(
    'close',
    guard('service ports', from, () => leave(from, to)),
  );
  if (from.destroyed) leave(from, to);
  else from.pipe(to);
}

function leave(from: Duplex, to: Duplex): void {
  if (to.destroyed || (from.readableEnded && from.writableFinished)) return;
  // All that it had to say is on its way, but it takes nothing any more.
  if (from.readableEnded) to.end(() => to.destroy());
  else breakOff(to);
}

/** Ends a connection so that its other side cannot take it for a good end. */
export function breakOff(stream: Duplex): void {
  if (stream instanceof Socket && stream.remoteFamily !== undefined) stream.resetAndDestroy();
  else stream.destroy();
}
