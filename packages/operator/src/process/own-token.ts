import { readFile } from 'node:fs/promises';
import type { Clock } from '@manta/kube';

const TOKEN_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/token';
/** The kubelet replaces the file long before the token in it ends. */
const KEEP_MS = 60_000;

/** Reads the token of the service account that we run under; undefined where there is none, as outside a cluster. */
export function ownTokenReader(clock: Pick<Clock, 'now'>, file = TOKEN_FILE): () => Promise<string | undefined> {
  let kept: { readonly token: string | undefined; readonly at: number } | undefined;
  return async () => {
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
