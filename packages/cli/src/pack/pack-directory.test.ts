import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listFiles } from './list-files.ts';
import { packDirectory } from './pack-directory.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-pack-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text = path): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const paths = async () => (await listFiles(folder)).files.map(({ path }) => path);

describe('listFiles()', () => {
  it('leaves out what .gitignore and .rayignore name, at every level', async () => {
    for (const path of ['main.py', 'data/big.bin', 'data/keep.txt', 'lib/a.py', 'lib/skip.me', 'skip.me']) write(path);
    write('.gitignore', '*.bin\n');
    write('lib/.rayignore', 'skip.me\n');
    expect(await paths()).toEqual(['.gitignore', 'data/keep.txt', 'lib/.rayignore', 'lib/a.py', 'main.py', 'skip.me']);
  });

  it('leaves out repositories, virtual environments and byte code', async () => {
    for (const path of ['.git/HEAD', '.venv/bin/python', '__pycache__/a.pyc', 'a.pyc', 'a.py']) write(path);
    expect(await paths()).toEqual(['a.py']);
  });

  it('names links and sockets that it leaves out', async () => {
    write('a.py');
    symlinkSync('/etc/passwd', join(folder, 'leak'));
    symlinkSync('missing', join(folder, 'nothing'));
    const server = createServer().listen(join(folder, 'socket'));
    const { files, skipped } = await listFiles(folder);
    server.close();
    expect(files.map(({ path }) => path)).toEqual(['a.py']);
    expect(skipped).toEqual([
      'leak (a link out of the directory)',
      'nothing (a link that leads nowhere)',
      'socket (not a regular file)',
    ]);
  });

  it('packs a link to a file of the directory as that file', async () => {
    write('data/real.txt', 'content');
    symlinkSync('data/real.txt', join(folder, 'link.txt'));
    const { files, skipped } = await listFiles(folder);
    expect(files.map(({ path, size }) => [path, size])).toEqual([
      ['data/real.txt', 7],
      ['link.txt', 7],
    ]);
    expect(skipped).toEqual([]);
  });

  it('leaves out what `excludes` names, and takes unusual names', async () => {
    for (const path of ['a.py', 'data/b.bin', '...', '..x/c']) write(path);
    const { files } = await listFiles(folder, ['/data/', '*.txt']);
    expect(files.map(({ path }) => path)).toEqual(['...', '..x/c', 'a.py']);
  });

  it('refuses what is no directory', async () => {
    write('file');
    await expect(listFiles(join(folder, 'file'))).rejects.toThrow('is not a directory');
    await expect(listFiles(join(folder, 'nothing'))).rejects.toThrow('cannot be read');
  });
});

describe('packDirectory()', () => {
  it('makes an archive that Python reads, with modes and names kept', async () => {
    write('main.py', 'print(1)\n'.repeat(1000));
    write('größe/ü.txt', 'ü');
    write('run.sh', '#!/bin/sh\n');
    chmodSync(join(folder, 'run.sh'), 0o755);
    const { bytes, fileCount } = await packDirectory(folder);
    const archive = join(folder, 'out.zip');
    writeFileSync(archive, bytes);
    const program = `import json,sys,zipfile
z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
print(json.dumps([[i.filename, i.file_size, oct((i.external_attr>>16)&0o777)] for i in z.infolist()]))`;
    const listed: unknown = JSON.parse(execFileSync('python3', ['-c', program, archive], { encoding: 'utf8' }));
    expect(fileCount).toBe(3);
    expect(listed).toEqual([
      ['größe/ü.txt', 2, '0o644'],
      ['main.py', 9000, '0o644'],
      ['run.sh', 10, '0o755'],
    ]);
  });

  it('gives the same package for the same content, whatever the times of the files', async () => {
    write('a.py', 'x');
    const first = await packDirectory(folder);
    utimesSync(join(folder, 'a.py'), 1, 1);
    expect((await packDirectory(folder)).uri).toBe(first.uri);
    write('a.py', 'y');
    expect((await packDirectory(folder)).uri).not.toBe(first.uri);
  });

  it('refuses a directory that is too large, and names its largest files', async () => {
    write('small.py');
    write('huge.bin', '');
    truncateSync(join(folder, 'huge.bin'), 900 * 1024 * 1024);
    await expect(packDirectory(folder)).rejects.toThrow(
      /is too large for Ray: 900\.0 MiB in 2 files; the limit is 100\.0 MiB[\s\S]*900\.0 MiB {2}huge\.bin/,
    );
  });
});
