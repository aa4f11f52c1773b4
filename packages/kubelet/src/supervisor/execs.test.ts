import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { Execs } from './execs.ts';

const start = (execs: Execs, script: string) =>
  new Promise<number>((done) => {
    execs.add('x', spawn('sh', ['-c', script], { stdio: 'pipe' }), ({ code }) => done(code));
  });

function attach(execs: Execs, stream: 'stdin' | 'stdout' | 'stderr'): PassThrough {
  const socket = new PassThrough();
  execs.attach('x', stream, socket as never);
  return socket;
}

it('a command that has ended before anybody listened is heard all the same', async () => {
  const execs = new Execs();
  expect(await start(execs, 'echo out; echo err >&2; exit 7')).toBe(7);
  const said = [attach(execs, 'stdout'), attach(execs, 'stderr')].map((socket) => text(socket));
  expect(await Promise.all(said)).toEqual(['out\n', 'err\n']);
  const stdin = attach(execs, 'stdin');
  expect(stdin.writableEnded).toBe(true);
});

it('a command that says much waits for who listens', async () => {
  const execs = new Execs();
  const ended = start(execs, 'head -c 3000000 /dev/zero');
  const said = text(attach(execs, 'stdout'));
  void text(attach(execs, 'stderr'));
  expect((await said).length).toBe(3_000_000);
  expect(await ended).toBe(0);
});
