import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import type { PackedFile } from './list-files.ts';

const deflate = promisify(deflateRaw);

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const UTF8 = 0x0800;
const DEFLATED = 8;
/** Unix, so that the mode in the upper half of the external attributes counts: scripts stay executable. */
const MADE_BY_UNIX = (3 << 8) | 20;
const VERSION = 20;
/** 1980-01-01: a fixed time makes equal directories equal archives, and so one package in Ray. */
const DOS_DATE = 0x21;

/** A zip archive of the files of a directory. `prefix` comes before each path. The same files give the same bytes. Kept in memory: Ray takes 100 MiB at most. */
export async function zipFiles(root: string, files: readonly PackedFile[], prefix = ''): Promise<Buffer> {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const content = await readFile(join(root, file.path));
    const packed = await deflate(content);
    const name = Buffer.from(`${prefix}${file.path}`, 'utf8');
    const entry = { name, crc: crc32(content), size: content.length, packedSize: packed.length };
    const header = localHeader(entry);
    parts.push(header, packed);
    directory.push(centralHeader(entry, file.mode, offset));
    offset += header.length + packed.length;
  }
  const central = Buffer.concat(directory);
  return Buffer.concat([...parts, central, endRecord(files.length, central.length, offset)]);
}

interface Entry {
  readonly name: Buffer;
  readonly crc: number;
  readonly size: number;
  readonly packedSize: number;
}

function localHeader({ name, crc, size, packedSize }: Entry): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(LOCAL, 0);
  header.writeUInt16LE(VERSION, 4);
  writeCommon(header, 6, crc, packedSize, size, name.length);
  return Buffer.concat([header, name]);
}

function centralHeader({ name, crc, size, packedSize }: Entry, mode: number, offset: number): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(CENTRAL, 0);
  header.writeUInt16LE(MADE_BY_UNIX, 4);
  header.writeUInt16LE(VERSION, 6);
  writeCommon(header, 8, crc, packedSize, size, name.length);
  header.writeUInt32LE((mode & 0xffff) * 0x1_0000, 38);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, name]);
}

/** The fields that both headers share, in the same order. */
function writeCommon(
  header: Buffer,
  at: number,
  crc: number,
  packedSize: number,
  size: number,
  nameLength: number,
): void {
  header.writeUInt16LE(UTF8, at);
  header.writeUInt16LE(DEFLATED, at + 2);
  header.writeUInt16LE(DOS_DATE, at + 6);
  header.writeUInt32LE(crc, at + 8);
  header.writeUInt32LE(packedSize, at + 12);
  header.writeUInt32LE(size, at + 16);
  header.writeUInt16LE(nameLength, at + 20);
}

function endRecord(count: number, size: number, offset: number): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(END, 0);
  record.writeUInt16LE(count, 8);
  record.writeUInt16LE(count, 10);
  record.writeUInt32LE(size, 12);
  record.writeUInt32LE(offset, 16);
  return record;
}
