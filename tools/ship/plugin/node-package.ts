import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { cacheRoot, type Environment } from '../../fetch/kube/cache.ts';
import { lastLines, run } from '../../fetch/kube/run.ts';
import { PLUGIN_NODE, type Target } from './targets.ts';

/** The path of a target's Node: from the cache, else from the npm registry. An archive with another hash than the pinned one is refused. */
export async function provideNode(target: Target, env: Environment = process.env): Promise<string> {
  const cache = join(cacheRoot(env, homedir()), 'node');
  const folder = join(cache, `${target.nodePackage}-${PLUGIN_NODE}`);
  const node = join(folder, target.nodePath);
  if (existsSync(node)) return node;
  await mkdir(cache, { recursive: true });
  const workshop = await mkdtemp(join(cache, '.fetch-'));
  try {
    const archive = await fetchArchive(target, workshop, env);
    verify(await readFile(archive), target);
    await untar(archive, workshop, env);
    await rm(archive);
    // Another process may have put the same package there meanwhile.
    await rename(workshop, folder).catch((error: unknown) => {
      if (!existsSync(node)) throw error;
    });
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
  return node;
}

async function fetchArchive(target: Target, folder: string, env: Environment): Promise<string> {
  const name = `${target.nodePackage}@${PLUGIN_NODE}`;
  const { code, stdout, stderr } = await run('npm', ['pack', '--silent', name, '--pack-destination', folder], { env });
  if (code !== 0)
    throw new Error(
      `cannot fetch ${name}: ${lastLines(stderr, 5) || 'npm pack failed'}. Check that the npm registry is reachable.`,
    );
  return join(folder, lastLines(stdout, 1));
}

/** Throws if the archive is not the one that was pinned. */
export function verify(
  archive: Uint8Array,
  { nodePackage, integrity }: Pick<Target, 'nodePackage' | 'integrity'>,
): void {
  const found = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  if (found !== integrity)
    throw new Error(
      `the archive of ${nodePackage}@${PLUGIN_NODE} has the hash ${found}, not the pinned ${integrity}. Do not use it; check the registry.`,
    );
}

async function untar(archive: string, folder: string, env: Environment): Promise<void> {
  const { code, stderr } = await run('tar', ['-xzf', archive, '-C', folder], { env });
  if (code !== 0) throw new Error(`cannot unpack ${archive}: ${lastLines(stderr, 3)}`);
}
