import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { messageOf, usageError } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';

/** The text of a file, under the name that messages give it. */
export interface ManifestFile {
  readonly name: string;
  readonly text: string;
}

/** Reads files, the YAML and JSON files of directories, and standard input for `-`. */
export async function readManifests(call: Invocation, paths: readonly string[]): Promise<readonly ManifestFile[]> {
  const files: ManifestFile[] = [];
  for (const path of paths) {
    if (path === '-') files.push({ name: 'stdin', text: await text(call.world.stdin) });
    else for (const file of await filesOf(path)) files.push({ name: file, text: await readFile(file, 'utf8') });
  }
  return files;
}

async function filesOf(path: string): Promise<readonly string[]> {
  const info = await stat(path).catch((error: unknown) => {
    throw usageError(`-f ${path} cannot be read: ${messageOf(error)}`, error);
  });
  if (!info.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  if (found.length === 0) throw usageError(`-f ${path} holds no .yaml, .yml or .json file.`);
  return found;
}
