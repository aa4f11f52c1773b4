import { chmod, mkdir, rename, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { bundle, PROGRAMS, type ProgramName } from './bundle.ts';
import { bundleInChunks } from './bundle-in-chunks.ts';

/** Makes the programs in dist/: an image holds Node and one `.mjs` of these, no node_modules. */
const folder = resolve(import.meta.dirname, '../../../dist');
await mkdir(folder, { recursive: true });
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys of a constant
for (const name of Object.keys(PROGRAMS) as ProgramName[]) {
  const finished = resolve(folder, `${name}.mjs`);
  // Under another name until it is whole: a program may be starting from the old one right now.
  const outfile = resolve(folder, `.${name}-${process.pid}.mjs`);
  await bundle(name, outfile);
  if (name !== 'operator') await chmod(outfile, 0o755);
  await rename(outfile, finished);
  console.log(`dist/${name}.mjs  ${((await stat(finished)).size / 1024).toFixed(0)} KB`);
}
await bundleInChunks('kubectl-ray', 'packages/cli/src/main.ts', folder);
// Last: the launcher looks at its age.
await bundleInChunks('manta', 'packages/manta/src/main.ts', folder);
