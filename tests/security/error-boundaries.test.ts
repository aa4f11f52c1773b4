import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callbackSites } from './callback-sites.ts';

const root = resolve(import.meta.dirname, '../..');
const sources = globSync('packages/*/src/**/*.ts', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.test.ts') && !path.includes('/testing/'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Files whose process serves one command of one user: an exception ends that command, as it should. */
const SINGLE_COMMANDS = [
  /^packages\/manta\/src\/(main|keep-small|start-small)\.ts$/,
  /^packages\/manta\/src\/(commands|submitter|local)\//,
];
/** Listeners that are passed through to a guarded emitter by whoever subscribes. */
const PASSED_THROUGH = ['packages/engine/src/server/http/held-response.ts'];

describe('callbacks that Node calls', () => {
  it('are wrapped by a guard, so that an exception of one connection, stream or timer never ends a process', () => {
    const served = sources.filter(
      ({ path }) => !SINGLE_COMMANDS.some((pattern) => pattern.test(path)) && !PASSED_THROUGH.includes(path),
    );
    const unguarded = served.flatMap(({ path, text }) =>
      callbackSites(text)
        .filter(({ isGuarded }) => !isGuarded)
        .map(({ line, what }) => `${path}:${line} ${what}`),
    );
    expect(unguarded).toEqual([]);
  });
});
