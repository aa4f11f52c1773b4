import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Env } from '@manta/kube';

/** The kubeconfig of a running `manta up` in its usual data directory; undefined when none runs there. */
export function localKubeconfig(env: Env, homeDir: string): string | undefined {
  const shared = env['XDG_DATA_HOME'] ?? '';
  const dataDir = join(isAbsolute(shared) ? shared : join(homeDir, '.local/share'), 'manta');
  try {
    const record: unknown = JSON.parse(readFileSync(join(dataDir, 'engine.json'), 'utf8'));
    if (typeof record !== 'object' || record === null || !('pid' in record) || !('kubeconfig' in record))
      return undefined;
    const { pid, kubeconfig } = record;
    return typeof kubeconfig === 'string' && typeof pid === 'number' && isAlive(pid) ? kubeconfig : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
