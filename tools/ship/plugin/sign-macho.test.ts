import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signAdHoc } from './sign-macho.ts';

const TEXT_BYTES = 9_000;

/** An executable with the segments __TEXT and __LINKEDIT, like those that Node's SEA builder writes for macOS. */
function executable({ sectionOffset = 4096, linkEditBytes = 1_001, hasSignature = false } = {}): Buffer {
  const segment = (name: string, fileOffset: number, fileBytes: number, sections: readonly number[]) => {
    const command = Buffer.alloc(72 + 80 * sections.length);
    command.writeUInt32LE(0x19, 0);
    command.writeUInt32LE(command.length, 4);
    command.write(name, 8);
    command.writeBigUInt64LE(BigInt(fileOffset), 40);
    command.writeBigUInt64LE(BigInt(fileBytes), 48);
    command.writeUInt32LE(sections.length, 64);
    sections.forEach((offset, i) => command.writeUInt32LE(offset, 72 + 80 * i + 48));
    return command;
  };
  const signature = Buffer.alloc(16);
  signature.writeUInt32LE(0x1d, 0);
  signature.writeUInt32LE(16, 4);
  const commands = [
    segment('__TEXT', 0, TEXT_BYTES, [sectionOffset]),
    segment('__LINKEDIT', TEXT_BYTES, linkEditBytes, []),
    ...(hasSignature ? [signature] : []),
  ];
  const file = Buffer.alloc(TEXT_BYTES + linkEditBytes, 0xab);
  const bytes = Buffer.concat(commands);
  file.writeUInt32LE(0xfeedfacf, 0);
  file.writeUInt32LE(commands.length, 16);
  file.writeUInt32LE(bytes.length, 20);
  file.set(bytes, 32);
  return file;
}

/** Where the signature is, as the last load command says. */
function signatureOf(file: Buffer): { readonly offset: number; readonly blob: Buffer } {
  const end = 32 + file.readUInt32LE(20);
  expect(file.readUInt32LE(end - 16)).toBe(0x1d);
  const offset = file.readUInt32LE(end - 8);
  return { offset, blob: file.subarray(offset, offset + file.readUInt32LE(end - 4)) };
}

describe('signAdHoc()', () => {
  it('hashes every page of the signed file up to the signature, the changed header included', () => {
    const file = signAdHoc(executable(), 'a-program');
    const { offset, blob } = signatureOf(file);
    expect(blob.readUInt32BE(0)).toBe(0xfade0cc0);
    const directory = blob.subarray(blob.readUInt32BE(16));
    expect(directory.readUInt32BE(0)).toBe(0xfade0c02);
    expect(directory.readUInt32BE(12)).toBe(2);
    expect(directory.readUInt32BE(32)).toBe(offset);
    const identifier = directory.subarray(directory.readUInt32BE(20));
    expect(identifier.toString('latin1', 0, identifier.indexOf(0))).toBe('a-program');
    const pages = directory.readUInt32BE(28);
    expect(pages).toBe(Math.ceil(offset / 4096));
    const firstHash = directory.readUInt32BE(16);
    for (let page = 0; page < pages; page++) {
      const code = file.subarray(page * 4096, Math.min((page + 1) * 4096, offset));
      const hash = directory.subarray(firstHash + page * 32, firstHash + (page + 1) * 32);
      expect(hash).toEqual(createHash('sha256').update(code).digest());
    }
  });

  it('extends the last segment to the end of the signature, which ends the file', () => {
    const file = signAdHoc(executable(), 'a-program');
    const { offset, blob } = signatureOf(file);
    expect(offset % 16).toBe(0);
    expect(offset + blob.length).toBe(file.length);
    const linkEdit = 32 + 72 + 80;
    expect(Number(file.readBigUInt64LE(linkEdit + 40) + file.readBigUInt64LE(linkEdit + 48))).toBe(file.length);
    expect(file.readBigUInt64LE(linkEdit + 32) % 0x4000n).toBe(0n);
  });

  it.each([
    ['a file of another format', Buffer.from('#!/bin/sh\n'.repeat(10)), 'not a 64-bit Mach-O executable'],
    ['a signed executable', executable({ hasSignature: true }), 'signed already'],
    ['a header without room', executable({ sectionOffset: 32 + 72 + 80 + 72 + 8 }), 'no room for another load command'],
    ['data after the last segment', Buffer.concat([executable(), Buffer.alloc(8)]), 'does not end with the file'],
  ])('refuses %s', (_, file, message) => {
    expect(() => signAdHoc(file, 'a-program')).toThrow(message);
  });
});
