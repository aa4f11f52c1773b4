import { type Duplex, duplexPair, PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CONTROL, controlFrame, dataFrame, FrameReader } from '../../../apiserver/src/spdy/frames.ts';
import { HeaderCodec } from '../../../apiserver/src/spdy/header-codec.ts';
import { type CommandStatus, SUCCESS } from './command-status.ts';
import { pipeCommand } from './pipe-command.ts';
import { serveRemoteStreams, wantedStreams } from './remote-streams.ts';

let near: Duplex;
let far: Duplex;
let codec: HeaderCodec;
/** What the client has received on each stream. */
let received: Map<number, string>;
let over: Promise<void>;
let nextId: number;

beforeEach(() => {
  [near, far] = duplexPair();
  codec = new HeaderCodec();
  received = new Map();
  nextId = 1;
  const reader = new FrameReader();
  near
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      for (const frame of reader.read(chunk))
        if (frame.kind === 'data') received.set(frame.stream, (received.get(frame.stream) ?? '') + String(frame.body));
    });
});
afterEach(async () => {
  vi.useRealTimers();
  near.destroy();
  far.destroy();
  await over;
  codec.close();
});

/** Opens a stream of a type and returns its id. */
async function open(type: string): Promise<number> {
  const id = nextId;
  nextId += 2;
  near.write(
    controlFrame(CONTROL.synStream, id, 0, Buffer.alloc(2), await codec.write(new Map([['streamtype', type]]))),
  );
  return id;
}

/** A command that ends when the test lets it, or when it is killed. */
function command(output: Iterable<string | Buffer> = []) {
  const ended = Promise.withResolvers<{ code: number }>();
  const stdout = Readable.from(output);
  const kill = vi.fn<() => void>(() => {
    stdout.destroy();
    ended.resolve({ code: 137 });
  });
  const streams = { stdin: new PassThrough(), stdout, stderr: Readable.from(['oops']), kill };
  return { ...streams, ended: ended.promise, end: (code: number) => ended.resolve({ code }) };
}

function serve(running: ReturnType<typeof command>, wanted: readonly string[]): void {
  over = serveRemoteStreams(far, wanted, (streams, gone) => pipeCommand(streams, running, gone));
}

describe('a command over SPDY', () => {
  it('gets its input, and its output and Status reach the client', async () => {
    const running = command(['hello']);
    serve(running, ['error', 'stdin', 'stdout', 'stderr']);
    const [error, stdin, stdout, stderr] = [
      await open('error'),
      await open('stdin'),
      await open('stdout'),
      await open('stderr'),
    ];
    near.write(dataFrame(stdin, Buffer.from('typed'), true));
    expect(String(await running.stdin.toArray())).toBe('typed');
    running.end(7);
    near.on('end', () => near.end());
    await over;
    expect([received.get(stdout), received.get(stderr)]).toEqual(['hello', 'oops']);
    expect(JSON.parse(received.get(error) ?? '')).toMatchObject({
      status: 'Failure',
      details: { causes: [{ reason: 'ExitCode', message: '7' }] },
    });
  });

  it('is killed when its client leaves', async () => {
    const running = command();
    serve(running, ['error']);
    await open('error');
    await vi.waitFor(() => expect(running.stdin.writableEnded).toBe(true));
    near.destroy();
    far.destroy();
    await over;
    expect(running.kill).toHaveBeenCalled();
  });

  it('may end before it has read its input: the client still gets the Status', async () => {
    const running = command();
    serve(running, ['error', 'stdin']);
    const [error, stdin] = [await open('error'), await open('stdin')];
    for (let n = 0; n < 20; n += 1) near.write(dataFrame(stdin, Buffer.alloc(64 * 1024)));
    await vi.waitFor(() => expect(running.stdin.writableNeedDrain).toBe(true));
    running.end(0);
    await vi.waitFor(() => expect(received.get(error)).toBe(JSON.stringify(SUCCESS)));
  });

  it('writes no faster than the client reads', async () => {
    let taken = 0;
    const plenty = (function* () {
      for (; taken < 1000; taken += 1) yield Buffer.alloc(64 * 1024);
    })();
    const running = command(plenty);
    near.pause();
    serve(running, ['error', 'stdout']);
    await open('error');
    await open('stdout');
    await vi.waitFor(() => expect(far.writableNeedDrain).toBe(true));
    const before = taken;
    for (let n = 0; n < 500; n += 1) await setImmediate();
    expect(taken).toBe(before);
    expect(taken).toBeLessThan(1000);
    near.destroy();
    far.destroy();
    await vi.waitFor(() => expect(running.kill).toHaveBeenCalled());
  });

  it('is not run for a client that does not open its streams within 30 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const work = vi.fn<() => Promise<CommandStatus>>(() => Promise.resolve(SUCCESS));
    over = serveRemoteStreams(far, ['error', 'stdout'], work);
    await open('error');
    await vi.advanceTimersByTimeAsync(30_000);
    await over;
    expect(work).not.toHaveBeenCalled();
    expect(far.destroyed).toBe(true);
  });

  it('ends a stream that nobody asked for', async () => {
    const running = command();
    serve(running, ['error']);
    const other = await open('other');
    const error = await open('error');
    near.write(dataFrame(other, Buffer.alloc(1_000_000)));
    running.end(0);
    await vi.waitFor(() => expect(received.get(error)).toBe(JSON.stringify(SUCCESS)));
  });
});

it.each([
  ['stdout=true&stderr=true', ['error', 'stdout', 'stderr']],
  ['stdin=1&stdout=1&stderr=1&tty=1', ['error', 'stdin', 'stdout', 'resize']],
  ['stdout=false', ['error']],
])('wantedStreams() of ?%s', (query, expected) => {
  expect(wantedStreams({ query: new URLSearchParams(query) })).toEqual(expected);
});
