import { once } from 'node:events';
import { type Duplex, duplexPair } from 'node:stream';
import { POD_PROXY_LIMITS } from '@manta/base';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CONTROL, controlFrame, dataFrame, type Frame, FrameReader, REFUSED_STREAM } from './frames.ts';
import { HeaderCodec } from './header-codec.ts';
import { serveSpdy, type SpdyStream } from './serve-spdy.ts';

let near: Duplex;
let far: Duplex;
let codec: HeaderCodec;
let streams: SpdyStream[];
let frames: Frame[];
let over: Promise<void>;

beforeEach(() => {
  [near, far] = duplexPair();
  codec = new HeaderCodec();
  [streams, frames] = [[], []];
  const reader = new FrameReader();
  near.on('error', () => undefined).on('data', (chunk: Buffer) => frames.push(...reader.read(chunk)));
  over = serveSpdy(far, (stream) => streams.push(stream));
});
afterEach(async () => {
  near.destroy();
  far.destroy();
  await over;
  codec.close();
});

async function open(id: number): Promise<void> {
  const headers = await codec.write(new Map([['streamtype', 'data']]));
  near.write(controlFrame(CONTROL.synStream, id, 0, Buffer.alloc(2), headers));
}
const opened = (count: number) => vi.waitFor(() => expect(streams).toHaveLength(count));
/** Ids of the streams that the server has refused, and the status that it gave. */
const refused = () =>
  frames.flatMap((frame) =>
    frame.kind === 'control' && frame.type === CONTROL.rstStream
      ? [[frame.body.readUInt32BE(0), frame.body.readUInt32BE(4)]]
      : [],
  );

describe('serveSpdy()', () => {
  it('gives a stream the bytes of a large frame as they arrive', async () => {
    await open(1);
    await opened(1);
    const header = dataFrame(1, Buffer.alloc(0));
    header.writeUIntBE(0xff_ffff, 5, 3);
    near.write(header);
    near.write('the first bytes');
    const [chunk] = await once(streams[0] ?? near, 'data');
    expect(String(chunk)).toBe('the first bytes');
  });

  it('refuses streams over the limit, reads on, and serves again when others have ended', async () => {
    const limit = POD_PROXY_LIMITS.spdyStreams;
    for (let n = 0; n < limit + 2; n += 1) await open(2 * n + 1);
    await vi.waitFor(() =>
      expect(refused()).toEqual([
        [2 * limit + 1, REFUSED_STREAM],
        [2 * limit + 3, REFUSED_STREAM],
      ]),
    );
    expect(streams).toHaveLength(limit);
    near.write(controlFrame(CONTROL.rstStream, 1, 5));
    await vi.waitFor(() => expect(streams[0]?.destroyed).toBe(true));
    await open(2 * limit + 5);
    await opened(limit + 1);
    // Headers of refused streams were read, or those of later ones would be garbage.
    expect(streams.at(-1)?.headers.get('streamtype')).toBe('data');
  });

  it.each([
    ['of an open stream', [1, 1]],
    ['of a stream that has ended', [1, 'end', 1]],
    ['below one that was used', [5, 3]],
    ['of a server', [2]],
    ['zero', [0]],
  ] as const)('ends the connection at the id %s', async (_, steps) => {
    for (const step of steps) {
      if (step === 'end') {
        await opened(1);
        near.write(controlFrame(CONTROL.rstStream, 1, 5));
        await vi.waitUntil(() => streams[0]?.destroyed);
      } else await open(step);
    }
    await over;
    expect(far.destroyed).toBe(true);
    expect(streams.length).toBeLessThanOrEqual(1);
    for (const stream of streams) expect(stream.destroyed).toBe(true);
  });

  it('reads no further pings while the client does not read the answers', async () => {
    near.removeAllListeners('data').pause();
    const ping = controlFrame(CONTROL.ping, 7);
    const many = Buffer.concat(Array.from({ length: 20_000 }, () => ping));
    near.write(many);
    await vi.waitFor(() => expect(far.writableNeedDrain).toBe(true));
    expect(far.writableLength).toBeLessThan(many.length / 2);
    near.destroy();
    far.destroy();
    await over;
  });
});
