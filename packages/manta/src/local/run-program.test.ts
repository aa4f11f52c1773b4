import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runProgram } from './run-program.ts';

const env = { PATH: process.env['PATH'] };

test('a program is run with its output, its errors and its code', async () => {
  const said: string[] = [];
  const outcome = await runProgram('sh', ['-c', 'echo one; echo two >&2; exit 3'], {
    env,
    onOutput: (text) => said.push(text),
  });
  expect(outcome).toEqual({ code: 3, stdout: 'one\n', stderr: 'two\n' });
  expect(said.join('')).toBe('one\n');
});

test('a program that is not there ends like one that fails', async () => {
  expect((await runProgram('no-such-program', [], { env })).code).not.toBe(0);
});

test('a program ends with the process that runs it, also when that is killed', async () => {
  const module = pathToFileURL(resolve(import.meta.dirname, 'run-program.ts')).href;
  const script = `const { runProgram } = await import(${JSON.stringify(module)});
    await runProgram('sh', ['-c', 'echo $$; exec sleep 1000'], { env: process.env, onOutput: (t) => process.stdout.write(t) });`;
  const parent = spawn(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '-e',
    script,
  ]);
  const [first] = await once(parent.stdout, 'data');
  const pid = Number(String(first).trim());
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
});

test('a program that does not want to end when it is told to ends with the process that runs it', async () => {
  const module = pathToFileURL(resolve(import.meta.dirname, 'run-program.ts')).href;
  const script = `const { runProgram } = await import(${JSON.stringify(module)});
    const stop = new AbortController();
    const onOutput = (text) => { process.stdout.write(text); stop.abort(); };
    const deaf = 'trap "echo no" TERM; echo $$; while :; do sleep 0.1; done';
    await runProgram('sh', ['-c', deaf], { env: process.env, signal: stop.signal, onOutput });`;
  const parent = spawn(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '-e',
    script,
  ]);
  let said = '';
  parent.stdout.on('data', (text: Buffer) => (said += text.toString()));
  await vi.waitFor(() => expect(said).toContain('no'), { timeout: 10_000 });
  const pid = Number.parseInt(said, 10);
  try {
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
  } finally {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
});

test('a program that is told to end takes along what it has started', async () => {
  const stop = new AbortController();
  const told = Promise.withResolvers<number>();
  const tell = (text: string) => told.resolve(Number(text.trim()));
  const run = runProgram('sh', ['-c', 'sleep 1000 & echo $!; wait'], { env, signal: stop.signal, onOutput: tell });
  const pid = await told.promise;
  expect(isAlive(pid)).toBe(true);
  stop.abort();
  expect((await run).code).toBe(-1);
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
});

test('a program that must not begin ends at once', async () => {
  const { code } = await runProgram('sleep', ['1000'], { env, signal: AbortSignal.abort() });
  expect(code).toBe(-1);
});

/** One that nobody has asked about since it ended is not alive any more. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
