import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
