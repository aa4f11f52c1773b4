import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { extractTar } from './commands/extract-tar.ts';
import { readTar } from './tar-reader.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-tar-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The archive in pieces of odd sizes, as a network delivers it. */
async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const tarOf = (source: string, format: string) =>
  execFileSync('tar', [`--format=${format}`, '-cf', '-', '-C', source, '.'], { maxBuffer: 64 * 1024 * 1024 });

describe('extractTar()', () => {
  it.each(['gnu', 'ustar', 'pax'])('unpacks what GNU tar wrote in the format %s', async (format) => {
    const source = join(folder, 'source');
    const deep = format === 'ustar' ? 'a'.repeat(90) : 'a'.repeat(150);
    mkdirSync(join(source, 'old', deep), { recursive: true });
    const content = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251));
    writeFileSync(join(source, 'old', deep, 'raylet.out'), content);
    writeFileSync(join(source, 'empty.log'), '');
    symlinkSync('empty.log', join(source, 'link'));
    const target = join(folder, 'target');
    mkdirSync(target);
    await extractTar(inPieces(tarOf(source, format), 1000), target, (problem) => expect.fail(problem));
    expect(readFileSync(join(target, 'old', deep, 'raylet.out')).equals(content)).toBe(true);
    expect(readdirSync(target).toSorted()).toEqual(['empty.log', 'old']);
  });

  it.each(['../outside', '/etc/passwd', 'a/../../outside'])(
    'leaves out %s, which would lie outside the folder',
    async (path) => {
      const problems: string[] = [];
      await extractTar(inPieces(archiveWith(path, 'evil'), 512), folder, (problem) => problems.push(problem));
      expect(problems).toEqual([`${JSON.stringify(path)} is left out: it would lie outside the folder`]);
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

describe('readTar()', () => {
  it('rejects an archive that ends in the middle of an entry', async () => {
    const archive = archiveWith('file', 'x'.repeat(2000));
    await expect(drain(inPieces(archive.subarray(0, 1000), 100))).rejects.toThrow('ends in the middle of an entry');
  });

  it('rejects a size that no file can have', async () => {
    const archive = archiveWith('file', 'x');
    archive.fill(0xff, 124, 136);
    const sum = archive
      .subarray(0, 512)
      .fill(0x20, 148, 156)
      .reduce((total, byte) => total + byte, 0);
    archive.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    await expect(drain(inPieces(archive, 100))).rejects.toThrow('a number in a header cannot be read');
  });

  it('rejects what is no archive', async () => {
    await expect(drain(inPieces(Buffer.from('x'.repeat(1024)), 100))).rejects.toThrow('not a tar archive');
  });
});

async function drain(source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const { content } of readTar(source)) for await (const _ of content);
}

/** A one-file archive with any path. */
function archiveWith(path: string, text: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write('0000644\0', 100);
  header.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\0', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(text.length / 512) * 512);
  body.write(text);
  return Buffer.concat([header, body, Buffer.alloc(1024)]);
}
