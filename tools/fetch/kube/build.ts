import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssetsError } from './cache.ts';
import type { GoToolchain } from './go-toolchain.ts';
import type { Progress } from './progress.ts';
import type { Program } from './programs.ts';
import { recipeFor } from './recipe.ts';
import { lastLines, run } from './run.ts';

const workPrefix = 'work-';

/** What to do about a failed build, as far as the compiler's words tell. */
export function adviceFor(stderr: string): string {
  if (/no space left on device/.test(stderr))
    return 'The disk is full: a build needs about 4 GB, most of it for the Go caches.';
  if (
    /dial tcp|no such host|i\/o timeout|connection refused|proxyconnect|TLS handshake|GOPROXY=off|: 50[234] /.test(
      stderr,
    )
  ) {
    return 'The Go module proxy could not be reached: check the network, GOPROXY and GOSUMDB (`go env` shows them).';
  }
  if (/signal: killed/.test(stderr))
    return 'The compiler was killed, most likely for lack of memory: it needs about 4 GB.';
  return 'If this machine can not build them, set KUBEBUILDER_ASSETS to a folder that has the programs.';
}

async function buildOne(program: Program, go: GoToolchain, work: string): Promise<string> {
  const recipe = recipeFor(program);
  const folder = join(work, 'modules', recipe.module);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'go.mod'), recipe.goMod, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const output = join(work, 'programs', program);
  const outcome = await run(go.command, ['build', ...recipe.buildFlags, '-o', output, recipe.packagePath], {
    cwd: folder,
    env: { ...go.env, CGO_ENABLED: '0', GOWORK: 'off' },
  });
  if (outcome.code !== 0) {
    throw new AssetsError(
      `${program} could not be built:\n${lastLines(outcome.stderr, 15)}\n${adviceFor(outcome.stderr)}`,
    );
  }
  return output;
}

/**
 * Builds programs, one after the other, and moves each into the folder when it is whole: what the folder holds can always be run. Call it
 * while holding the folder's lock; work folders that a killed build left behind are removed first.
 */
export async function buildPrograms(
  programs: readonly Program[],
  folder: string,
  findGo: () => Promise<GoToolchain>,
  progress: Progress,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    if (name.startsWith(workPrefix)) await rm(join(folder, name), { recursive: true, force: true });
  }
  const go = await findGo();
  const work = await mkdtemp(join(folder, workPrefix));
  try {
    for (const [index, program] of programs.entries()) {
      const title = `building ${program} (${index + 1} of ${programs.length})`;
      const output = await progress.during(title, () => buildOne(program, go, work));
      await chmod(output, 0o755);
      await rename(output, join(folder, program));
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
