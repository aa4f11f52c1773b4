import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package in the lock, as far as we judge it. */
export interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The lock, by the path at which each package is installed. */
export function lockedPackages(root: string): Readonly<Record<string, LockedPackage>> {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
}

/** The npm packages that are part of what users run: what our packages depend on, and what these depend on. */
export function shippedPackages(root: string): readonly string[] {
  const locked = lockedPackages(root);
  const found = new Set<string>();
  const add = (names: readonly string[]) => {
    for (const name of names) {
      if (name.startsWith('@manta/') || found.has(name)) continue;
      found.add(name);
      add(Object.keys(locked[`node_modules/${name}`]?.dependencies ?? {}));
    }
  };
  for (const path of globSync('packages/*/package.json', { cwd: root }))
    add(Object.keys(JSON.parse(readFileSync(join(root, path), 'utf8')).dependencies ?? {}));
  return [...found].toSorted();
}
