import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from '../local/lock.ts';

/**
 * The folder of the built page: beside a bundled program, or in the source tree, where the page is built when it is absent or older
 * than its sources (a second). Undefined: this installation has no page.
 */
export async function pageFolder(
  program = process.argv[1] ?? '',
  from = import.meta.dirname,
): Promise<string | undefined> {
  const beside = join(dirname(program), 'console');
  if (existsSync(join(beside, 'index.html'))) return beside;
  const root = sourceTree(from);
  if (root === undefined) return undefined;
  const page = join(root, 'packages/console-web');
  const built = join(page, 'dist');
  const index = join(built, 'index.html');
  if (isCurrent(page, index)) return built;
  // Several engines may start at once in one source tree.
  await withLock(
    join(page, '.build.lock'),
    () => undefined,
    async () => {
      if (!isCurrent(page, index)) await build(root);
    },
  );
  return built;
}

function sourceTree(from: string): string | undefined {
  for (let folder = from; dirname(folder) !== folder; folder = dirname(folder))
    if (existsSync(join(folder, 'packages/console-web/vite.config.ts'))) return folder;
  return undefined;
}

function isCurrent(page: string, index: string): boolean {
  if (!existsSync(index)) return false;
  const builtAt = statSync(index).mtimeMs;
  const sources = globSync(['src/**/*', 'index.html', 'vite.config.ts'], { cwd: page });
  return sources.every((file) => statSync(join(page, file)).mtimeMs <= builtAt);
}

/** In a process of its own: the tools for building stay out of this one. */
async function build(root: string): Promise<void> {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const child = spawn(process.execPath, [vite, 'build', 'packages/console-web', '--logLevel', 'error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    // Test runners set another value, with which React's development build would be bundled.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the console's page could not be built: ${said.trim()}`);
}
