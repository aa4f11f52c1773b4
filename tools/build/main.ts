import { mkdir, rename, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build } from 'esbuild';

/** Makes one `.mjs` a program in dist/, with everything it needs inside: an image holds Node and these files, no node_modules. */
const PROGRAMS = {
  operator: 'packages/manta/src/operator-program.ts',
  // Last: the launcher looks at its age.
  manta: 'packages/manta/src/main.ts',
} as const;

const root = resolve(import.meta.dirname, '../..');
await mkdir(resolve(root, 'dist'), { recursive: true });
for (const [name, entry] of Object.entries(PROGRAMS)) {
  const finished = resolve(root, `dist/${name}.mjs`);
  // Under another name until it is whole: a program may be starting from the old one right now.
  const outfile = resolve(root, `dist/.${name}-${process.pid}.mjs`);
  await build({
    entryPoints: [resolve(root, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // CommonJS packages inside the bundle call require() for Node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  await rename(outfile, finished);
  console.log(`dist/${name}.mjs  ${((await stat(finished)).size / 1024).toFixed(0)} KB`);
}
