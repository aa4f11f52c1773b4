import { createHash } from 'node:crypto';

const MAGIC_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const COMMAND_BYTES = 16;

const SUPER_BLOB_MAGIC = 0xfade0cc0;
const CODE_DIRECTORY_MAGIC = 0xfade0c02;
const CODE_DIRECTORY_BYTES = 88;
const CODE_DIRECTORY_VERSION = 0x20400;
const AD_HOC = 0x2;
const SHA256 = 2;
const HASH_BYTES = 32;
const PAGE_BITS = 12;
const PAGE = 1 << PAGE_BITS;
const MAIN_BINARY = 1n;
/** Segments end at the larger page of Apple silicon. */
const SEGMENT_PAGE = 0x4000n;

/** Thrown if a file is not what the signer can sign. */
export class MachOError extends Error {
  override readonly name = 'MachOError';
}

/**
 * Signs an unsigned 64-bit Mach-O executable ad hoc, as `codesign --sign -` does: hashes of all its pages, and no identity. The signature
 * proves nothing about the author; macOS on Apple silicon starts no program without one. `codesign` exists on macOS only.
 */
export function signAdHoc(executable: Uint8Array, identifier: string): Buffer {
  const layout = readLayout(Buffer.from(executable.buffer, executable.byteOffset, executable.byteLength));
  const codeLimit = align(executable.length, COMMAND_BYTES);
  const pages = Math.ceil(codeLimit / PAGE);
  const ident = Buffer.from(`${identifier}\0`);
  const hashOffset = CODE_DIRECTORY_BYTES + ident.length;
  const directoryBytes = hashOffset + pages * HASH_BYTES;
  const superBlobBytes = 12 + 8 + directoryBytes;
  const signatureBytes = align(superBlobBytes, COMMAND_BYTES);

  const file = Buffer.alloc(codeLimit + signatureBytes);
  file.set(executable);
  writeCommand(file, layout, codeLimit, signatureBytes);

  const signature = file.subarray(codeLimit);
  for (const [i, value] of [SUPER_BLOB_MAGIC, superBlobBytes, 1, 0, 20].entries())
    signature.writeUInt32BE(value, i * 4);
  const directory = signature.subarray(20);
  const words = [
    CODE_DIRECTORY_MAGIC,
    directoryBytes,
    CODE_DIRECTORY_VERSION,
    AD_HOC,
    hashOffset,
    CODE_DIRECTORY_BYTES,
    0, // special slots
    pages,
    codeLimit,
  ];
  for (const [i, value] of words.entries()) directory.writeUInt32BE(value, i * 4);
  directory.set([HASH_BYTES, SHA256, 0, PAGE_BITS], 36);
  directory.writeBigUInt64BE(layout.text.fileOffset, 64);
  directory.writeBigUInt64BE(layout.text.fileBytes, 72);
  directory.writeBigUInt64BE(MAIN_BINARY, 80);
  directory.set(ident, CODE_DIRECTORY_BYTES);
  for (let page = 0; page < pages; page++) {
    const code = file.subarray(page * PAGE, Math.min((page + 1) * PAGE, codeLimit));
    directory.set(createHash('sha256').update(code).digest(), hashOffset + page * HASH_BYTES);
  }
  return file;
}

interface Layout {
  readonly commandCount: number;
  readonly commandBytes: number;
  readonly text: { readonly fileOffset: bigint; readonly fileBytes: bigint };
  /** Where the command of the last segment, which holds the signature, begins. */
  readonly linkEditCommand: number;
}

function readLayout(file: Buffer): Layout {
  if (file.length < HEADER_BYTES || file.readUInt32LE(0) !== MAGIC_64)
    throw new MachOError('the file is not a 64-bit Mach-O executable.');
  const commandCount = file.readUInt32LE(16);
  const commandBytes = file.readUInt32LE(20);
  let text: Layout['text'] | undefined;
  let linkEditCommand: number | undefined;
  let firstSection = Infinity;
  for (const { kind, at } of commands(file, commandCount)) {
    if (kind === LC_CODE_SIGNATURE)
      throw new MachOError('the executable is signed already; remove its signature first.');
    if (kind !== LC_SEGMENT_64) continue;
    const name = file.toString('latin1', at + 8, at + 24).replaceAll('\0', '');
    if (name === '__TEXT')
      text = { fileOffset: file.readBigUInt64LE(at + 40), fileBytes: file.readBigUInt64LE(at + 48) };
    if (name === '__LINKEDIT') linkEditCommand = at;
    for (let section = 0; section < file.readUInt32LE(at + 64); section++) {
      const offset = file.readUInt32LE(at + 72 + 80 * section + 48);
      if (offset > 0) firstSection = Math.min(firstSection, offset);
    }
  }
  if (text === undefined || linkEditCommand === undefined)
    throw new MachOError('the executable has no segment __TEXT or no segment __LINKEDIT.');
  const end = file.readBigUInt64LE(linkEditCommand + 40) + file.readBigUInt64LE(linkEditCommand + 48);
  if (end !== BigInt(file.length)) throw new MachOError('the segment __LINKEDIT does not end with the file.');
  if (HEADER_BYTES + commandBytes + COMMAND_BYTES > firstSection)
    throw new MachOError('the header has no room for another load command.');
  return { commandCount, commandBytes, text, linkEditCommand };
}

function* commands(file: Buffer, count: number): Generator<{ readonly kind: number; readonly at: number }> {
  let at = HEADER_BYTES;
  for (let i = 0; i < count; i++) {
    if (at + 8 > file.length) throw new MachOError('the load commands are cut off.');
    yield { kind: file.readUInt32LE(at), at };
    at += file.readUInt32LE(at + 4);
  }
}

/** Announces the signature: one more load command, and a last segment that includes it. */
function writeCommand(file: Buffer, layout: Layout, offset: number, bytes: number): void {
  const at = HEADER_BYTES + layout.commandBytes;
  for (const [i, value] of [LC_CODE_SIGNATURE, COMMAND_BYTES, offset, bytes].entries())
    file.writeUInt32LE(value, at + i * 4);
  file.writeUInt32LE(layout.commandCount + 1, 16);
  file.writeUInt32LE(layout.commandBytes + COMMAND_BYTES, 20);
  const { linkEditCommand } = layout;
  const fileBytes = BigInt(offset + bytes) - file.readBigUInt64LE(linkEditCommand + 40);
  file.writeBigUInt64LE(fileBytes, linkEditCommand + 48);
  file.writeBigUInt64LE(((fileBytes + SEGMENT_PAGE - 1n) / SEGMENT_PAGE) * SEGMENT_PAGE, linkEditCommand + 32);
}

function align(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}
