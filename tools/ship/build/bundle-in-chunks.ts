import { readdir, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { COMMON, REQUIRE } from './bundle.ts';

const DAY_MS = 86_400_000;

/**
 * Makes a program of several files, of which a command loads only its own: `<name>.mjs` and, in `chunks/`, what it imports. Chunks are
 * named by their content, so that a program that runs finds those it was made with; they go when nobody has made them for a day.
 */
export async function bundleInChunks(name: string, entry: string, folder: string): Promise<void> {
  // Elsewhere until all is whole: a program may be starting from the old files right now.
  const workshop = join(folder, `.${name}-${process.pid}`);
  await build({
    ...COMMON,
    plugins: [...COMMON.plugins],
    entryPoints: { [name]: entry },
    outdir: workshop,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    banner: { js: REQUIRE },
  });
  const chunks = join(folder, 'chunks');
  await mkdir(chunks, { recursive: true });
  for (const chunk of await readdir(join(workshop, 'chunks')))
    await rename(join(workshop, 'chunks', chunk), join(chunks, chunk));
  await rename(join(workshop, `${name}.mjs`), resolve(folder, `${name}.mjs`));
  await rm(workshop, { recursive: true });
  await removeOld(chunks);
}

async function removeOld(chunks: string): Promise<void> {
  for (const chunk of await readdir(chunks)) {
    const path = join(chunks, chunk);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > DAY_MS) await rm(path, { force: true });
  }
}
