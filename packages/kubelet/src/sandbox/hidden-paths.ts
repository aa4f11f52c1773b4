import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * The paths under which a container could see files that must stay hidden: their real paths, and their paths in each shown folder whose own
 * path leads through a symbolic link. A path with a link in it is never given: mounting over it would follow the link out of the container.
 */
export function hiddenPaths(hidden: readonly string[], shown: readonly string[]): readonly string[] {
  const real = hidden.map(realPath);
  const inShown = shown.flatMap((folder) => {
    const inside = `${realPath(folder)}/`;
    return real.filter((path) => path.startsWith(inside)).map((path) => join(folder, path.slice(inside.length)));
  });
  return [...new Set([...real, ...inShown])];
}

/** Resolves the links of the part of a path that exists. */
function realPath(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    return whole === '/' ? whole : join(realPath(dirname(whole)), basename(whole));
  }
}
