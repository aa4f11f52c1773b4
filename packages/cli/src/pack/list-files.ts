import type { Dirent } from 'node:fs';
import { access, constants, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { usageError } from '../cli-error.ts';

/** A file of a directory that is sent to Ray. */
export interface PackedFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly mode: number;
}

export interface Listing {
  readonly files: readonly PackedFile[];
  /** What was left out although no rule names it: sockets, links that lead out of the directory, unreadable files. */
  readonly skipped: readonly string[];
}

/** Never sent: they are large, belong to this machine, or Ray leaves them out as well. */
const ALWAYS_IGNORED = ['.git', '.venv', 'venv', '__pycache__', '*.pyc'];
const IGNORE_FILES = ['.gitignore', '.rayignore'];

/** Rules of one directory; they hold for what lies below it. */
interface Rules {
  readonly folder: string;
  readonly matcher: Ignore;
}

/**
 * Lists what a directory's archive holds, in a fixed order. `.gitignore` and `.rayignore` are obeyed at every level; `excludes` holds more
 * rules in their syntax. A link to a file of the directory counts as that file.
 */
export async function listFiles(root: string, excludes: readonly string[] = []): Promise<Listing> {
  const info = await stat(root).catch((error: unknown) => {
    throw usageError(
      `the directory ${root} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  });
  if (!info.isDirectory())
    throw usageError(`${root} is not a directory. Give a directory, or a URI that Ray fetches itself.`);
  const files: PackedFile[] = [];
  const skipped: string[] = [];
  const rules = { folder: '', matcher: matcherOf([...ALWAYS_IGNORED, ...excludes]) };
  await walk(await realpath(root), '', [rules], files, skipped);
  return { files, skipped };
}

async function walk(
  root: string,
  folder: string,
  inherited: readonly Rules[],
  files: PackedFile[],
  skipped: string[],
): Promise<void> {
  const rules = [...inherited, ...(await rulesOf(root, folder))];
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) {
    skipped.push(`${folder}/ (cannot be read)`);
    return;
  }
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (isIgnored(rules, path, entry.isDirectory())) continue;
    if (entry.isDirectory()) await walk(root, path, rules, files, skipped);
    else {
      const file = await describeFile(root, path, entry);
      if (typeof file === 'string') skipped.push(`${path} (${file})`);
      else files.push(file);
    }
  }
}

/** The file, or why it is left out. */
async function describeFile(root: string, path: string, entry: Dirent): Promise<PackedFile | string> {
  if (!entry.isFile() && !entry.isSymbolicLink()) return 'not a regular file';
  try {
    const real = await realpath(join(root, path));
    if (!real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return 'a link out of the directory';
    const info = await stat(real);
    if (!info.isFile()) return 'a link to something that is not a regular file';
    await access(real, constants.R_OK);
    return { path, size: info.size, mode: info.mode };
  } catch {
    return entry.isSymbolicLink() ? 'a link that leads nowhere' : 'cannot be read';
  }
}

/** File names such as `...` are not relative paths here. */
function matcherOf(rules: string | readonly string[]): Ignore {
  return ignore({ allowRelativePaths: true }).add(rules);
}

async function rulesOf(root: string, folder: string): Promise<readonly Rules[]> {
  const texts = await Promise.all(
    IGNORE_FILES.map((name) => readFile(join(root, folder, name), 'utf8').catch(() => '')),
  );
  return texts.every((text) => text === '') ? [] : [{ folder, matcher: matcherOf(texts.join('\n')) }];
}

function isIgnored(rules: readonly Rules[], path: string, isDirectory: boolean): boolean {
  return rules.some(({ folder, matcher }) => {
    const relative = folder === '' ? path : path.slice(folder.length + 1);
    return matcher.ignores(isDirectory ? `${relative}/` : relative);
  });
}
