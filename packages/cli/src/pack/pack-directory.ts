import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { CliError } from '../cli-error.ts';
import { listFiles, type PackedFile } from './list-files.ts';
import { zipFiles } from './zip.ts';

/** A directory as Ray takes it. */
export interface Package {
  /** `gcs://_ray_pkg_<hash>.zip`: what a runtime environment names as its `working_dir`. */
  readonly uri: string;
  readonly bytes: Buffer;
  readonly fileCount: number;
  /** Size of all files before compression. */
  readonly totalBytes: number;
  /** The five largest files, largest first. */
  readonly largest: readonly PackedFile[];
  readonly skipped: readonly string[];
}

/** Ray refuses larger packages. */
export const MAX_PACKAGE_BYTES = 100 * 1024 * 1024;
/** A zip archive without extensions counts its files in 16 bits. */
const MAX_FILES = 65_535;
const LARGEST_SHOWN = 5;

export interface PackOptions {
  /** Rules in the syntax of `.gitignore`, besides those of the directory's own files. */
  readonly excludes?: readonly string[];
  /** Puts the files into a folder with the directory's name, so that `import name` works. */
  readonly isModule?: boolean;
}

/** Packs a directory; throws with its largest files when it is too large for Ray. */
export async function packDirectory(root: string, { excludes, isModule }: PackOptions = {}): Promise<Package> {
  const { files, skipped } = await listFiles(root, excludes);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  // Compression saves something, but a directory far over the limit must not be read into memory first.
  if (total > 8 * MAX_PACKAGE_BYTES || files.length > MAX_FILES) throw tooLarge(root, total, files);
  const bytes = await zipFiles(root, files, isModule === true ? `${basename(resolve(root))}/` : '');
  if (bytes.length > MAX_PACKAGE_BYTES) throw tooLarge(root, bytes.length, files);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const uri = `gcs://_ray_pkg_${hash}.zip`;
  return { uri, bytes, fileCount: files.length, totalBytes: total, largest: largestOf(files), skipped };
}

function largestOf(files: readonly PackedFile[]): readonly PackedFile[] {
  return files.toSorted((a, b) => b.size - a.size).slice(0, LARGEST_SHOWN);
}

/** A line for each file: size, path. */
export function fileLines(files: readonly PackedFile[]): readonly string[] {
  return files.map(({ path, size }) => `  ${sizeText(size).padStart(10)}  ${path}`);
}

function tooLarge(root: string, bytes: number, files: readonly PackedFile[]): CliError {
  return new CliError(
    `${root} is too large for Ray: ${megabytes(bytes)} in ${files.length} files; the limit is ${megabytes(MAX_PACKAGE_BYTES)} and ${MAX_FILES} files. ` +
      `List what the job does not need in .rayignore. Its largest files:\n${fileLines(largestOf(files)).join('\n')}`,
  );
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

const KIB = 1024;

/** A size in the unit that suits it. */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  return bytes < KIB * KIB ? `${(bytes / KIB).toFixed(1)} KiB` : megabytes(bytes);
}
