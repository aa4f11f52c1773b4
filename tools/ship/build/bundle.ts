import { resolve } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { builtinModules } from './builtin-modules.ts';
import { yamlModules } from './yaml-modules.ts';

/** The programs that are one file each. */
export const PROGRAMS = {
  operator: 'packages/manta/src/operator-program.ts',
  manager: 'packages/manta/src/manager-program.ts',
  'web-console': 'packages/manta/src/web-console-program.ts',
} as const;

export type ProgramName = keyof typeof PROGRAMS;

/** Where images have their Node. The kernel reads it from the program's first line, so that an image needs no shell. */
export const IMAGE_NODE = '/nodejs/bin/node';
const HASHBANG = `#!${IMAGE_NODE}\n`;

// CommonJS packages inside the bundle call require() for Node's own modules.
export const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";

const root = resolve(import.meta.dirname, '../../..');

/** What every program is made with. */
export const COMMON = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  plugins: [builtinModules, yamlModules],
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Makes one `.mjs` with everything the program needs inside, and says of which files it is made. */
export async function bundle(name: ProgramName, outfile: string): Promise<Metafile> {
  const { metafile } = await build({
    ...COMMON,
    plugins: [...COMMON.plugins],
    entryPoints: [PROGRAMS[name]],
    outfile,
    banner: { js: name === 'operator' ? REQUIRE : HASHBANG + REQUIRE },
  });
  return metafile;
}
