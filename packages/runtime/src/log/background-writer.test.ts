import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@manta/kube';
import { systemClock } from '@manta/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { BackgroundWriter } from './background-writer.ts';
import { createRotatingFile } from './rotating-file.ts';

const folders: string[] = [];
const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'manta-log-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('the background writer', () => {
  test('keeps the order and loses nothing, flushed or written synchronously', async () => {
    const path = join(makeFolder(), 'log');
    const fd = openSync(path, 'a');
    const writer = new BackgroundWriter({ fdFor: () => fd }, systemClock);
    const lines = Array.from({ length: 5000 }, (_, n) => `line ${n} ${'ü'.repeat(n % 50)}\n`);
    for (const line of lines) writer.write(line);
    await writer.flush();
    writer.write('last\n');
    writer.flushSync();
    await writer.flush();
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe(`${lines.join('')}last\n`);
    expect(writer.takeDropped()).toBe(0);
  });

  test('a reader that never reads costs lines, not time: writing returns and memory stays bounded', async () => {
    const fifo = join(makeFolder(), 'pipe');
    execFileSync('mkfifo', [fifo]);
    const reader = spawn('sh', ['-c', `exec 3<"$0"; echo open; read wait; cat <&3`, fifo], { stdio: 'pipe' });
    const fd = openSync(fifo, 'w');
    await once(reader.stdout, 'data');
    const writer = new BackgroundWriter({ fdFor: () => fd }, systemClock);
    const line = `${'x'.repeat(1023)}\n`;
    for (let n = 0; n < 8 * 1024; n++) writer.write(line);
    expect(writer.takeDropped()).toBe(4 * 1024);
    let bytes = 0;
    reader.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length));
    reader.stdin.end('go\n');
    await writer.flush();
    closeSync(fd);
    await once(reader, 'close');
    expect(bytes).toBe(4 * 1024 * 1024);
  });

  test('an output that refuses is survived and counted', async () => {
    const path = join(makeFolder(), 'log');
    writeFileSync(path, '');
    const fd = openSync(path, 'r');
    const writer = new BackgroundWriter({ fdFor: () => fd }, systemClock);
    writer.write('gone\n');
    await writer.flush();
    expect(writer.takeDropped()).toBe(1);
    writer.write('gone\n');
    writer.flushSync();
    await writer.flush();
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe('');
  });
});

describe('a process that exits in the middle of it', () => {
  const program = `
    import { systemClock } from '@manta/kube';
    import { createLogger, createStderrSink, encodeJson } from '@manta/runtime';
    const log = createLogger({ clock: systemClock, main: { sink: createStderrSink(systemClock), encode: encodeJson }, level: -2 });
    process.on('exit', () => log.flushSync());
    for (let n = 0; n < 2000; n++) log.info('line', { n });
    throw new Error('boom');
  `;
  const run = (stderr: 'pipe' | number) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'ignore', stderr],
      cwd: import.meta.dirname,
    });

  test('has told everything it logged', () => {
    const lines = run('pipe').stderr.toString().split('\n');
    const told = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line).n);
    expect(told).toEqual(Array.from({ length: 2000 }, (_, n) => n));
  });

  test('does the same into a file', () => {
    const path = join(makeFolder(), 'stderr');
    const fd = openSync(path, 'w');
    run(fd);
    closeSync(fd);
    expect(readFileSync(path, 'utf8').match(/"msg":"line"/g)).toHaveLength(2000);
  });
});

describe('the rotating file', () => {
  const time = { now: Date.parse('2026-08-01T12:00:00.000Z') };
  const clock: Clock = { now: () => time.now, setTimer: () => () => undefined };

  test('sets a full file aside under its time and keeps the newest ten', () => {
    const folder = makeFolder();
    const file = createRotatingFile({ path: join(folder, 'deep', 'op.log'), clock, maxBytes: 10 });
    const writer = new BackgroundWriter(file, clock);
    for (let n = 0; n < 14; n++) {
      writer.write(`line ${String(n).padStart(3, '0')}\n`);
      writer.flushSync();
      time.now += 1000;
    }
    const names = readdirSync(join(folder, 'deep')).toSorted();
    expect(names).toHaveLength(11);
    expect(names.at(-1)).toBe('op.log');
    expect(names[0]).toBe('op-2026-08-01T12-00-04.000.log');
    expect(readFileSync(join(folder, 'deep', 'op.log'), 'utf8')).toBe('line 013\n');
    expect(readFileSync(join(folder, 'deep', 'op-2026-08-01T12-00-13.000.log'), 'utf8')).toBe('line 012\n');
  });

  test('keeps a file open for a write of another sink that is under way while it is set aside', () => {
    const folder = makeFolder();
    const file = createRotatingFile({ path: join(folder, 'op.log'), clock, maxBytes: 10 });
    const fd = file.fdFor(5);
    expect(file.fdFor(10)).not.toBe(fd);
    writeSync(fd, 'late\n');
    const backup = readdirSync(folder).find((name) => name !== 'op.log') ?? '';
    expect(readFileSync(join(folder, backup), 'utf8')).toBe('late\n');
  });

  test('continues an existing file, counts what is in it, and forgets what is older than 30 days', () => {
    const folder = makeFolder();
    const path = join(folder, 'op.log');
    writeFileSync(path, '12345678\n');
    writeFileSync(join(folder, 'op-2026-06-01T00-00-00.000.log'), 'old');
    writeFileSync(join(folder, 'op-notes.log'), 'not ours');
    const file = createRotatingFile({ path, clock, maxBytes: 20 });
    const writer = new BackgroundWriter(file, clock);
    writer.write('2345678\n');
    writer.flushSync();
    expect(readFileSync(path, 'utf8')).toBe('12345678\n2345678\n');
    writer.write('next\n');
    writer.flushSync();
    expect(readFileSync(path, 'utf8')).toBe('next\n');
    const names = readdirSync(folder);
    expect(names).toContain('op-notes.log');
    expect(names).not.toContain('op-2026-06-01T00-00-00.000.log');
    expect(names).toHaveLength(3);
  });

  test('makes the folders it needs, and says which file cannot be opened and why', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'file'), '');
    const path = join(folder, 'file', 'op.log');
    expect(() => createRotatingFile({ path, clock })).toThrow(
      new Error(`the log file ${path} cannot be opened: ENOTDIR: not a directory`),
    );
    expect(() => createRotatingFile({ path: '/proc/no/such/op.log', clock })).toThrow(/cannot be opened: E/);
    const deep = join(folder, 'a', 'b', 'op.log');
    createRotatingFile({ path: deep, clock });
    expect(existsSync(deep)).toBe(true);
  });
});
