import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { lastLines, run } from '../../fetch/kube/run.ts';
import { COMMON } from '../build/bundle.ts';
import { provideNode } from './node-package.ts';
import { signAdHoc } from './sign-macho.ts';
import { hostTarget, type Target, targetName } from './targets.ts';

const ENTRY = 'packages/cli/src/main.ts';
const root = resolve(import.meta.dirname, '../../..');

// Inside an executable the program has no file of its own that require() could start from.
const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(process.execPath);";

/** Bundles the plugin into one ES module, without import() of other files. */
export async function bundlePlugin(outfile: string, banner: string = REQUIRE): Promise<void> {
  await build({
    ...COMMON,
    plugins: [...COMMON.plugins],
    absWorkingDir: root,
    entryPoints: [ENTRY],
    outfile,
    banner: { js: banner },
  });
}

/**
 * Writes one file that holds Node and the plugin. It contains nothing of this machine, so the same sources give the same bytes.
 * Executables for macOS get an ad-hoc signature: without one, Apple silicon refuses to start them.
 */
export async function buildExecutable(target: Target, bundle: string, output: string): Promise<void> {
  const [writer, node] = await Promise.all([provideNode(hostTarget()), provideNode(target)]);
  const folder = await mkdtemp(join(tmpdir(), 'manta-plugin-'));
  try {
    const config = join(folder, 'sea.json');
    const sea = {
      main: bundle,
      mainFormat: 'module',
      executable: node,
      output,
      disableExperimentalSEAWarning: true,
      // A code cache would be faster to start, but it is valid on the building machine's kind of CPU only.
      useCodeCache: false,
      // NODE_OPTIONS of the user's shell are for other programs.
      execArgvExtension: 'none',
    };
    await writeFile(config, JSON.stringify(sea));
    const { code, stdout, stderr } = await run(writer, ['--build-sea', config]);
    if (code !== 0)
      throw new Error(`cannot build the executable for ${targetName(target)}: ${lastLines(stderr || stdout, 5)}`);
  } finally {
    await rm(folder, { recursive: true });
  }
  if (target.os === 'darwin') await writeFile(output, signAdHoc(await readFile(output), 'kubectl-ray'));
  await chmod(output, 0o755);
}
