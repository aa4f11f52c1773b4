import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

export interface StaticFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The files of the built page, by URL path. They are read once at the start, so no request can name a path outside of the folder.
 * Names under assets/ contain a hash of their content and may be cached for a year.
 */
export function loadStaticFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const url = `/${relative(folder, path).replaceAll('\\', '/')}`;
      const cache = url.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
      const type = TYPES[extname(path)] ?? 'application/octet-stream';
      return [
        url,
        { body: new Uint8Array(readFileSync(path)), headers: { 'content-type': type, 'cache-control': cache } },
      ];
    }),
  );
}
