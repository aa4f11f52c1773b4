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
  /^packages\/cli\/src\//,
  // Runs in browsers.
  /^packages\/console-web\/src\//,
];
/** Listeners that are passed through to a guarded emitter by whoever subscribes. */
const PASSED_THROUGH = ['packages/apiserver/src/testing/faults/held-response.ts'];

describe('the search for unguarded callbacks', () => {
  it.each([
    `createServer((request, response) => answer(response))`,
    `createSecureServer({ key }, (request, response) => void answer(response))`,
    `server.on('upgrade', (request, socket) => join(socket))`,
    `socket.on('data', async (chunk) => { await write(chunk); })`,
    `socket.once('close', () => { throw new Error('x'); })`,
    `const onData = (chunk) => parse(chunk); socket.on('data', onData)`,
    `class A { #onData = (chunk) => parse(chunk); constructor(s) { s.on('data', this.#onData); } }`,
    `setInterval(() => refresh(), 1000)`,
    `socket.setTimeout(5, () => finish())`,
    `socket.on('data', unknown)`,
  ])('finds %s', (text) => {
    expect(callbackSites(text)).toMatchObject([{ isGuarded: false }]);
  });

  it.each([
    `createServer(guardConnection('x', (request, response) => answer(response)))`,
    `socket.on('data', guard('x', socket, (chunk) => parse(chunk)))`,
    `const onData = guard('x', socket, (chunk) => parse(chunk)); socket.on('data', onData)`,
    `socket.on('error', () => undefined)`,
    `socket.once('close', () => open.delete(socket))`,
    `setTimeout(resolve, 1000)`,
    `setTimeout(guard('x', undefined, () => refresh()), 1000)`,
  ])('accepts %s', (text) => {
    expect(callbackSites(text)).toMatchObject([{ isGuarded: true }]);
  });
});

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
