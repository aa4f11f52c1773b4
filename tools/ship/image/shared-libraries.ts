import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';

/** A library that a program needs at run time. */
export interface SharedLibrary {
  /** Where the loader looks for it. */
  readonly path: string;
  readonly data: Buffer;
  /** The Debian package that it is from, where that can be told. */
  readonly from: { readonly name: string; readonly version: string } | undefined;
}

/** Everything that the dynamic loader would load for a program, the loader included, from this machine. */
export function sharedLibraries(program: string): readonly SharedLibrary[] {
  const text = execFileSync('ldd', [program], { encoding: 'utf8' });
  return libraryPaths(text).map((path) => ({ path, data: readFileSync(path), from: packageOf(path) }));
}

/** The paths in what `ldd` prints, sorted. Throws where it says that one is missing. */
export function libraryPaths(ldd: string): readonly string[] {
  const missing = /^\s*(\S+) => not found/m.exec(ldd)?.[1];
  if (missing !== undefined) throw new Error(`Node needs ${missing}, which this machine does not have: install it`);
  return [...ldd.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x/gm)].map(([, path]) => path ?? '').toSorted();
}

function packageOf(path: string): SharedLibrary['from'] {
  for (const each of new Set([path, path.replace(/^\/lib/, '/usr/lib'), realpathSync(path)])) {
    try {
      const name = ask(['-S', each]).split(':')[0] ?? '';
      return { name, version: ask(['-W', '-f', '${Version}', name]) };
    } catch {
      // Not under this name, or not a Debian machine.
    }
  }
  return undefined;
}

function ask(args: readonly string[]): string {
  return execFileSync('dpkg-query', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
