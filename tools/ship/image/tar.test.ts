import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type TarEntry, tarOf } from './tar.ts';

function unpack(entries: readonly TarEntry[], look: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'manta-tar-'));
  try {
    writeFileSync(join(folder, 'a.tar'), tarOf(entries));
    execFileSync('tar', ['-xpf', 'a.tar'], { cwd: folder });
    look(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it("the system's tar unpacks folders, files with their modes, and links", () => {
  const data = new TextEncoder().encode('hello');
  const entries: readonly TarEntry[] = [
    { kind: 'folder', path: 'tmp', mode: 0o700 },
    { kind: 'file', path: 'tmp/program', mode: 0o755, data },
    { kind: 'link', path: 'manager', target: 'tmp/program' },
  ];
  unpack(entries, (folder) => {
    expect(readFileSync(join(folder, 'manager'), 'utf8')).toBe('hello');
    expect(readlinkSync(join(folder, 'manager'))).toBe('tmp/program');
    expect(statSync(join(folder, 'tmp/program')).mode & 0o777).toBe(0o755);
    expect(statSync(join(folder, 'tmp')).mode & 0o777).toBe(0o700);
  });
});

it('content of any length comes back as it was', () => {
  const lengths = fc.constantFrom(0, 1, 511, 512, 513, 1024, 5000);
  const content = lengths.chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
  fc.assert(
    fc.property(fc.array(content, { minLength: 1, maxLength: 4 }), (files) => {
      const entries = files.map((data, i): TarEntry => ({ kind: 'file', path: `f${i}`, data }));
      unpack(entries, (folder) =>
        files.forEach((data, i) => expect(Buffer.compare(readFileSync(join(folder, `f${i}`)), data)).toBe(0)),
      );
    }),
    { numRuns: 15 },
  );
});

it('a name that does not fit is an error that names it', () => {
  const path = 'a'.repeat(101);
  expect(() => tarOf([{ kind: 'folder', path }])).toThrow(`${path}/ is too long for a tar archive`);
});
