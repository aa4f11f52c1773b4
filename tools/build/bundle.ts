import { resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';

/** The programs that are made from the sources. */
export const PROGRAMS = {
  operator: 'packages/manta/src/operator-program.ts',
  manager: 'packages/manta/src/manager-program.ts',
  // Last: the launcher looks at its age.
  manta: 'packages/manta/src/main.ts',
} as const;

export type ProgramName = keyof typeof PROGRAMS;

/**
 * Where images have their Node. The kernel reads it from the program's first line, so that an image needs no shell; and takes whatever
 * follows as one argument. The flag keeps resident memory low (docs/decisions/0003-memory.md).
 */
export const IMAGE_NODE = '/nodejs/bin/node';
const HASHBANG = `#!${IMAGE_NODE} --max-semi-space-size=2\n`;

// CommonJS packages inside the bundle call require() for Node's own modules.
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);";

const root = resolve(import.meta.dirname, '../..');

/** Makes one `.mjs` with everything the program needs inside, and says of which files it is made. */
export async function bundle(name: ProgramName, outfile: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [resolve(root, PROGRAMS[name])],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    banner: { js: name === 'manager' ? HASHBANG + REQUIRE : REQUIRE },
    logLevel: 'warning',
  });
  return metafile;
}
