import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access, Question, State } from './fuzz/engine-child.ts';
import { sendAll } from './fuzz/lanes.ts';

/** MANTA_FUZZ_SEED repeats a run, MANTA_FUZZ_REQUESTS makes it longer or shorter. */
const seed = Number(process.env['MANTA_FUZZ_SEED'] ?? 17);
const total = Number(process.env['MANTA_FUZZ_REQUESTS'] ?? 100_000);
const MIB = 1024 * 1024;

let child: ChildProcess;
let access: Access;
let errors = '';

const said = async <T>(): Promise<T> => {
  const [message] = (await once(child, 'message', { signal: AbortSignal.timeout(60_000) })) as [T];
  return message;
};
const ask = (question: Question): Promise<State> => {
  const answer = said<State>();
  child.send(question);
  return answer;
};

/** The state once all connections have ended and everything is deleted. */
async function atRest(): Promise<State> {
  for (let attempt = 0; ; attempt++) {
    const state = await ask('clean');
    if (state.sockets === 0 || attempt === 100) return state;
    await pause(200);
  }
}

beforeAll(async () => {
  child = fork(join(import.meta.dirname, 'fuzz/engine-child.ts'), {
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk.toString()}`.slice(-10_000);
  });
  access = await said<Access>();
});

afterAll(() => {
  child.kill('SIGKILL');
});

describe(`the API server under ${total} fuzzed requests of seed ${seed} (MANTA_FUZZ_SEED)`, () => {
  it('lives, fails nowhere, keeps no socket and gives its memory back', async () => {
    await sendAll(access, seed + 1, Math.ceil(total / 10));
    const before = await atRest();
    expect(before.internalErrors).toEqual([]);
    const { sent, statuses, unanswered } = await sendAll(access, seed, total);
    expect(sent).toBeGreaterThanOrEqual(total);
    expect(unanswered).toBe(0);
    expect({ exitCode: child.exitCode, signal: child.signalCode, errors }).toMatchObject({
      exitCode: null,
      signal: null,
    });
    const after = await atRest();
    expect(after.internalErrors).toEqual([]);
    expect(after.sockets).toBe(0);
    expect((after.bytes - before.bytes) / MIB).toBeLessThan(48);
    // The fuzzer reaches what lies behind the parsers: objects are created, read, changed and refused by their fields.
    for (const status of [200, 201, 400, 403, 404, 409, 415, 422]) expect(statuses.get(status)).toBeGreaterThan(10);
    expect(await sendAll(access, seed + 2, 100)).toMatchObject({ sent: expect.any(Number) as number });
  }, 1_800_000);
});
