import { readFile } from 'node:fs/promises';
import type { Clock } from '@manta/kube';

/** The mounted token may be replaced at any time, so it is reread. */
const KEEP_MS = 60_000;

/**
 * Reads the token for Ray clusters that accept Kubernetes tokens; undefined if no file is configured or the file does not exist. The
 * operator's own ServiceAccount token is never used automatically, because the owner of such a cluster could read it.
 */
export function rayTokenReader(clock: Pick<Clock, 'now'>, file: string | undefined): () => Promise<string | undefined> {
  let kept: { readonly token: string | undefined; readonly at: number } | undefined;
  return async () => {
    if (file === undefined) return undefined;
    if (kept === undefined || clock.now() - kept.at >= KEEP_MS) kept = { token: await read(file), at: clock.now() };
    return kept.token;
  };
}

async function read(file: string): Promise<string | undefined> {
  try {
    const token = (await readFile(file, 'utf8')).trim();
    return token === '' ? undefined : token;
  } catch {
    return undefined;
  }
}
