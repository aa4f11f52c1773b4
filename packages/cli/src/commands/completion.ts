import { access, chmod, constants, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { CliError, messageOf } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';

const SCRIPT = `#!/bin/sh
# kubectl calls this for completions of \`kubectl ray\` (kubectl 1.26 and newer).
exec kubectl-ray __complete "$@"
`;
const NAME = 'kubectl_complete-ray';

/**
 * `completion install`: writes `kubectl_complete-ray`, which kubectl looks for on PATH. Without `--dir` it goes beside `kubectl-ray`, else
 * to `~/.local/bin`.
 */
export async function installCompletion(call: Invocation, flags: { readonly dir?: string }): Promise<void> {
  const { env, homeDir } = call.world;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const folder = flags.dir ?? (await besidePlugin(folders)) ?? join(homeDir, '.local', 'bin');
  const path = join(folder, NAME);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(path, SCRIPT);
    await chmod(path, 0o755);
  } catch (error) {
    throw new CliError(`${path} could not be written: ${messageOf(error)}. Choose a folder of PATH with --dir.`);
  }
  call.print(`Wrote ${path}`);
  if (!folders.includes(folder)) call.say(`${folder} is not on PATH: add it, or kubectl does not find ${NAME}.`);
  call.say('Completion of kubectl itself must be on in your shell; kubectl completion --help says how.');
}

/** The writable folder of PATH that holds this plugin. */
async function besidePlugin(folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const isHere = await access(join(folder, 'kubectl-ray'), constants.X_OK).then(
      () =>
        access(folder, constants.W_OK).then(
          () => true,
          () => false,
        ),
      () => false,
    );
    if (isHere) return folder;
  }
  return undefined;
}
