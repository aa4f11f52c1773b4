import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where everything is cached that can be had again. */
export function cacheRoot(env: Readonly<Record<string, string | undefined>>): string {
  if (env['MANTA_CACHE']) return env['MANTA_CACHE'];
  return env['XDG_CACHE_HOME']
    ? join(env['XDG_CACHE_HOME'], 'manta')
    : join(env['HOME'] ?? homedir(), '.cache', 'manta');
}
