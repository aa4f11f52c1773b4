import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readTar } from '../tar-reader.ts';

/**
 * Unpacks an archive that a pod sent into a folder. The archive is not trusted: only directories and regular files are created, a path
 * that leaves the folder is refused, and no permission beyond reading and writing is taken over. `report` hears what was left out.
 */
export async function extractTar(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  report: (problem: string) => void,
): Promise<void> {
  for await (const entry of readTar(source)) {
    const path = posix.normalize(entry.path);
    if (path === '.' || path === './') continue;
    if (posix.isAbsolute(path) || path === '..' || path.startsWith('../')) {
      report(`${JSON.stringify(entry.path)} is left out: it would lie outside the folder`);
      continue;
    }
    const target = join(folder, path);
    if (entry.kind === 'directory') await mkdir(target, { recursive: true });
    else if (entry.kind === 'file') {
      await mkdir(dirname(target), { recursive: true });
      await pipeline(entry.content, createWriteStream(target, { mode: 0o644 }));
    }
    // Links are left out in silence: session_latest holds many, and each leads to a file that is in the archive anyway.
  }
}
