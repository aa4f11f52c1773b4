import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '@manta/base';
import { reasonOf, writeWhole } from '@manta/local';

const FIRST_LINE = '# Written by manta up, and written again at its next start.\n';

/** Refuses to put our kubeconfig in the place of somebody else's file, such as ~/.kube/config. */
export function refuseForeign(path: string): void {
  if (existsSync(path) && !read(path).startsWith(FIRST_LINE))
    throw new Error(`${path} was not written by manta up and stays as it is; name another file with --kubeconfig-out`);
}

/** Writes our kubeconfig, readable for its owner only. */
export function writeKubeconfig(path: string, text: string): void {
  try {
    makeFolder(dirname(path));
    writeWhole(path, `${FIRST_LINE}${text}`);
  } catch (error) {
    throw new Error(
      `cannot write the kubeconfig ${path}: ${reasonOf(error)}; name another file with --kubeconfig-out`,
      { cause: error },
    );
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${path}: ${reasonOf(error)}; name another file with --kubeconfig-out`, {
      cause: error,
    });
  }
}
