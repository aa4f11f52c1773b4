import { readFile } from 'node:fs/promises';
import type { Clock } from '@manta/kube';

/** Whoever mounts the file may replace the token in it at any time. */
const KEEP_MS = 60_000;

/**
 * Reads the token that we show to Ray clusters which take Kubernetes tokens; undefined where nobody names a file, or there is none. The
 * token of the account that we run under is never taken by itself: whoever owns such a cluster gets to see what we show it.
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
