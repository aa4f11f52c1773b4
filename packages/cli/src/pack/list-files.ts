import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { usageError } from '../cli-error.ts';

/** A file of a directory that is sent to Ray. */
export interface PackedFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  readonly modifiedMs: number;
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

/** Lists what a directory's archive holds, in a fixed order. `.gitignore` and `.rayignore` are obeyed at every level. */
export async function listFiles(root: string): Promise<Listing> {
  const info = await stat(root).catch((error: unknown) => {
    throw usageError(
      `--working-dir ${root} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  });
  if (!info.isDirectory()) throw usageError(`--working-dir ${root} is not a directory.`);
  const files: PackedFile[] = [];
  const skipped: string[] = [];
  await walk(root, '', [{ folder: '', matcher: ignore().add(ALWAYS_IGNORED) }], files, skipped);
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
    else if (entry.isFile()) files.push(await describeFile(root, path));
    else skipped.push(`${path} (${entry.isSymbolicLink() ? 'a link' : 'not a regular file'})`);
  }
}

async function describeFile(root: string, path: string): Promise<PackedFile> {
  const { size, mode, mtimeMs } = await stat(join(root, path));
  return { path, size, mode, modifiedMs: mtimeMs };
}

async function rulesOf(root: string, folder: string): Promise<readonly Rules[]> {
  const texts = await Promise.all(
    IGNORE_FILES.map((name) => readFile(join(root, folder, name), 'utf8').catch(() => '')),
  );
  return texts.every((text) => text === '') ? [] : [{ folder, matcher: ignore().add(texts.join('\n')) }];
}

function isIgnored(rules: readonly Rules[], path: string, isDirectory: boolean): boolean {
  return rules.some(({ folder, matcher }) => {
    const relative = folder === '' ? path : path.slice(folder.length + 1);
    return matcher.ignores(isDirectory ? `${relative}/` : relative);
  });
}
