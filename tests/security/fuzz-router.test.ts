import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ask } from '../../packages/router/src/testing/ask.ts';
import { backendOf } from '../../packages/router/src/testing/backends.ts';
import { createParts } from '../../packages/router/src/testing/parts.ts';
import { answerHostilely, answerInGarbledFrames } from './router/hostile-answers.ts';
import { http1Messages, http2Messages, type Message, webSocketMessages } from './router/hostile-requests.ts';
import { createRandom, type Random } from './support/random.ts';
import { type RouterUnderAttack, startRouter } from './router/start-router.ts';

const REQUESTS = Number(process.env.MANTA_FUZZ_REQUESTS ?? 100_000);
const SEED = Number(process.env.MANTA_FUZZ_SEED ?? randomInt(2 ** 31));
const CLIENTS = 128;
/** How long a client waits for more of an answer before it leaves. */
const PATIENCE_MS = 100;
const HANG_MS = 600_000;
const MIB = 1024 * 1024;

const parts = createParts();
let router: RouterUnderAttack;

beforeAll(async () => {
  process.stderr.write(`fuzzing the router with MANTA_FUZZ_SEED=${SEED} MANTA_FUZZ_REQUESTS=${REQUESTS}\n`);
  router = await startRouter();
  const random = createRandom(SEED + 1);
  const hostile = await parts.tcpBackend((socket) => answerHostilely(socket, random));
  const garbled = await parts.tcpBackend((socket) => answerInGarbledFrames(socket, random));
  const rule = (key: string, kind: 'prefix' | 'regex', value: string, address: typeof hostile.address) => ({
    key,
    createdAt: 0,
    matches: [{ path: { kind, value } }],
    filters: [],
    backends: [backendOf(`d/${key}:1`, 1, { address })],
  });
  const sound = await parts.says('sound');
  const rules = [
    rule('sound', 'prefix', '/sound', sound.address),
    rule('garbled', 'prefix', '/h2', { ...garbled.address, protocol: 'http2' }),
    rule('pattern', 'regex', '/re/(a+)+', hostile.address),
    rule('hostile', 'prefix', '/', hostile.address),
  ];
  await router.serveTable({ gateways: [{ ownHosts: [], hosts: [{ hostname: undefined, rules }] }] });
});
afterAll(async () => {
  await router.stop();
  await parts.close();
});

function messages(random: Random): Message {
  if (random.chance(0.25)) return http2Messages(random);
  return random.chance(0.15) ? webSocketMessages(random) : http1Messages(random);
}

/** One connection: sends, reads for a while, and leaves in one of several ways. Resolves when its socket is closed. */
function visit(random: Random, { bytes }: Message): Promise<void> {
  const isEnding = random.chance(0.1);
  // Node never reports the close of a socket that is reset after its end, or twice.
  let mayReset = !isEnding && random.chance(0.05);
  const isDeaf = random.chance(0.02);
  return new Promise((resolve) => {
    const socket = connect({ port: router.port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
    const leave = () => {
      if (mayReset) socket.resetAndDestroy();
      else socket.destroy();
      mayReset = false;
    };
    socket.setTimeout(PATIENCE_MS, leave);
    if (isDeaf) socket.pause();
    else socket.resume();
    const cut = random.chance(0.1) ? random.below(bytes.length) : bytes.length;
    socket.write(bytes.subarray(0, cut));
    if (cut < bytes.length) setImmediate(() => void socket.write(bytes.subarray(cut)));
    if (isEnding) socket.end();
    else if (mayReset && random.chance(0.5)) setImmediate(leave);
  });
}

/** Sends this many requests over connections of several clients at once. */
async function attack(count: number, random: Random): Promise<number> {
  let sent = 0;
  const client = async () => {
    while (sent < count && router.process.exitCode === null && router.process.signalCode === null) {
      const message = messages(random);
      sent += message.requests;
      await visit(random, message);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return sent;
}

/** Waits until no request and no connection of a client is left. */
async function settled() {
  return await vi.waitFor(
    async () => {
      const measured = await router.measure();
      expect({ outstanding: measured.outstanding, sockets: measured.sockets }).toEqual({ outstanding: 0, sockets: 0 });
      return measured;
    },
    { timeout: 30_000, interval: 250 },
  );
}

it(
  `the router outlives ${REQUESTS} hostile requests and answers, and keeps neither sockets nor memory (seed ${SEED})`,
  async () => {
    const random = createRandom(SEED);
    const warmUp = await attack(Math.min(10_000, REQUESTS / 5), random);
    const before = await settled();
    const sent = warmUp + (await attack(REQUESTS - warmUp, random));
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
    expect([router.process.exitCode, router.process.signalCode]).toEqual([null, null]);
    const after = await settled();
    expect((after.bytes - before.bytes) / MIB).toBeLessThan(16);
    expect(await ask(router.port, { path: '/sound' })).toMatchObject({ status: 200, body: 'sound' });
  },
  HANG_MS,
);
