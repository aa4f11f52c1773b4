import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../../../packages/manta/src/local/lock.ts';
import { AssetsError, cacheRoot, type Environment } from '../kube/cache.ts';

const run = promisify(execFile);
/** Debian's packages that hold redis-server and what it needs beyond the C library. */
const PACKAGES = ['redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1', 'liblua5.1-0', 'lua-cjson', 'lua-bitop'];

/**
 * A folder with a real `redis-server`: the one in `MANTA_REDIS`, the machine's own, else Debian's, which is downloaded and unpacked into the
 * cache without being installed.
 */
export async function provideRedis(env: Environment = process.env): Promise<string> {
  const given = env['MANTA_REDIS'];
  if (given) return given;
  const own = (env['PATH'] ?? '').split(':').find((folder) => existsSync(join(folder, 'redis-server')));
  if (own !== undefined) return own;
  const cache = join(cacheRoot(env, homedir()), 'redis');
  const bin = join(cache, 'debian/bin');
  mkdirSync(cache, { recursive: true });
  await withLock(
    join(cache, 'unpack.lock'),
    () => undefined,
    async () => {
      if (!existsSync(bin)) await unpack(cache);
    },
  );
  return bin;
}

async function unpack(cache: string): Promise<void> {
  const fresh = join(cache, `new-${process.pid}`);
  try {
    mkdirSync(join(fresh, 'bin'), { recursive: true });
    const download = () => run('apt-get', ['download', ...PACKAGES], { cwd: fresh });
    // A fresh system has no lists of packages yet.
    await download().catch(() => run('apt-get', ['update']).then(download));
    for (const file of readdirSync(fresh).filter((name) => name.endsWith('.deb')))
      await run('dpkg-deb', ['-x', file, '.'], { cwd: fresh });
    const final = join(cache, 'debian');
    const { stdout } = await run('dpkg-architecture', ['-qDEB_HOST_MULTIARCH']).catch(() => ({ stdout: '' }));
    const libraries =
      stdout.trim() || readdirSync(join(fresh, 'usr/lib')).find((name) => name.includes('-linux-')) || '';
    for (const name of ['redis-server', 'redis-cli']) {
      const program = name === 'redis-server' ? 'redis-check-rdb' : name;
      // Debian's redis-server is a link to the program that checks its files: which one it is, it reads from its name.
      const line = `LD_LIBRARY_PATH='${final}/usr/lib/${libraries}' exec -a ${name} '${final}/usr/bin/${program}' "$@"`;
      writeFileSync(join(fresh, 'bin', name), `#!/bin/bash\n${line}\n`);
      chmodSync(join(fresh, 'bin', name), 0o755);
    }
    rmSync(final, { recursive: true, force: true });
    renameSync(fresh, final);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AssetsError(
      `redis-server cannot be had from Debian (${why}). Install it, or set MANTA_REDIS to its folder.`,
    );
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
