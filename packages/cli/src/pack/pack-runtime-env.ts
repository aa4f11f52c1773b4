import { readFile, stat } from 'node:fs/promises';
import { parse } from 'yaml';
import { messageOf, usageError } from '../cli-error.ts';
import { type Package, packDirectory } from './pack-directory.ts';
import { requirementsOf } from './read-requirements.ts';

/** A runtime environment that a head can read, and the packages that it names. */
export interface PackedRuntimeEnv {
  readonly runtimeEnv: Readonly<Record<string, unknown>>;
  readonly packages: readonly (Package & { readonly path: string })[];
}

/**
 * Replaces everything of this machine in a runtime environment by what a head can read, as Ray's own client does: directories become
 * packages, and requirement files that `pip`, `uv` and `conda` name are read.
 */
export async function packRuntimeEnv(
  runtimeEnv: Readonly<Record<string, unknown>>,
  workingDir: string,
): Promise<PackedRuntimeEnv> {
  const packages: (Package & { readonly path: string })[] = [];
  const excludes = texts(runtimeEnv['excludes']);
  const uriOf = async (path: string, isModule: boolean): Promise<string> => {
    if (/^[a-z0-9+]+:\/\//i.test(path)) return path;
    const packed = await packDirectory(path, { excludes, isModule });
    packages.push({ ...packed, path });
    return packed.uri;
  };
  const result: Record<string, unknown> = { ...runtimeEnv, working_dir: await uriOf(workingDir, false) };
  const modules: unknown = runtimeEnv['py_modules'];
  if (Array.isArray(modules)) {
    const uris: unknown[] = [];
    for (const path of modules) uris.push(typeof path === 'string' ? await uriOf(path, true) : path);
    result['py_modules'] = uris;
  }
  const readers = { pip: requirementsOf, uv: requirementsOf, conda: (text: string): unknown => parse(text) };
  for (const [key, read] of Object.entries(readers))
    if (key in result) result[key] = await inlined(result[key], key, read);
  return { runtimeEnv: result, packages };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The content of the file that the value names; any other value, and the name of no file, stays. */
async function inlined(value: unknown, key: string, read: (text: string) => unknown): Promise<unknown> {
  if (typeof value !== 'string') return value;
  const isFile = await stat(value).then(
    (info) => info.isFile(),
    () => false,
  );
  if (!isFile) return value;
  try {
    return read(await readFile(value, 'utf8'));
  } catch (error) {
    throw usageError(`${key}: ${value} of the runtime environment cannot be read: ${messageOf(error)}`, error);
  }
}
