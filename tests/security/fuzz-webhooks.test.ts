import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { seededRandom } from '@manta/runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FuzzedRequest, fuzzedRequest } from './webhook-requests.ts';

const SEED = 20_261_118;
const REQUESTS = 100_000;
const CONNECTIONS = 8;
const PIPELINED = 25;

let child: ChildProcess;
let address: { readonly port: number; readonly ca: string };
/** How often each status was answered. */
const statuses = new Map<string, number>();

beforeAll(async () => {
  const file = resolve(import.meta.dirname, 'webhook-process.ts');
  const execArgv = ['--expose-gc', '--disable-warning=ExperimentalWarning'];
  child = fork(file, [], { execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  [address] = await once(child, 'message');
});
afterAll(() => void child.kill('SIGKILL'));

async function measure(): Promise<{ readonly bytes: number; readonly sockets: number }> {
  child.send('measure');
  const [measured] = await once(child, 'message');
  return measured;
}

async function open(): Promise<TLSSocket> {
  const socket = connect({ ...address, host: '127.0.0.1' });
  // The server hangs up on what it does not understand.
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

/** Resolves when so many answers have come, or the connection has ended. */
function answers(socket: TLSSocket, count: number): Promise<boolean> {
  let text = '';
  let seen = 0;
  return new Promise((done) => {
    const onClose = () => done(false);
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
        const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, end))?.[1] ?? 0);
        if (text.length < end + 4 + length) return;
        const status = text.slice(9, 12);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        text = text.slice(end + 4 + length);
        seen += 1;
      }
      if (seen < count) return;
      socket.off('data', onData);
      socket.off('close', onClose);
      done(true);
    };
    socket.on('data', onData);
    socket.once('close', onClose);
  });
}

/** Sends requests in rows on one connection, and each one that is refused unread on a connection of its own. */
async function attack(requests: readonly FuzzedRequest[]): Promise<void> {
  const read = requests.filter(({ isRead }) => isRead);
  let socket = await open();
  for (let at = 0; at < read.length; at += PIPELINED) {
    const row = read.slice(at, at + PIPELINED);
    const answered = answers(socket, row.length);
    socket.write(Buffer.concat(row.map(({ bytes }) => bytes)));
    // What is behind a refusal that closes the connection is lost, like with any client.
    if (await answered) continue;
    socket.destroy();
    socket = await open();
  }
  socket.destroy();
  for (const { bytes, isRead } of requests) {
    if (isRead) continue;
    const own = await open();
    own.end(bytes);
    own.resume();
    if (!own.closed) await new Promise((closed) => own.once('close', closed));
  }
}

async function fuzz(random: () => number, count: number): Promise<void> {
  const each = Math.ceil(count / CONNECTIONS);
  const work = Array.from({ length: CONNECTIONS }, () => Array.from({ length: each }, () => fuzzedRequest(random)));
  await Promise.all(work.map(attack));
}

describe(`the webhook server under ${REQUESTS} fuzzed requests`, () => {
  it('lives, answers none of them with an internal error, and is left with no socket and no memory of them', async () => {
    const random = seededRandom(SEED);
    const step = REQUESTS / 10;
    await fuzz(random, step);
    const before = await measure();
    for (let sent = step; sent < REQUESTS; sent += step) await fuzz(random, step);
    expect(child.exitCode).toBeNull();
    await expect.poll(async () => (await measure()).sockets, { timeout: 30_000, interval: 200 }).toBe(0);
    const after = await measure();
    expect(after.bytes).toBeLessThan(before.bytes * 1.2 + 4 * 1024 * 1024);
    const answered = [...statuses.values()].reduce((sum, each) => sum + each, 0);
    expect(answered).toBeGreaterThan(REQUESTS * 0.9);
    expect([...statuses.keys()].filter((status) => status >= '500')).toEqual([]);
    expect(statuses.get('200')).toBeGreaterThan(REQUESTS / 3);
  }, 300_000);
});
