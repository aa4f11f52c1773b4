import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** An API server that introduces itself and then fails at everything, leaving no connection open. */
let server: Server;
let folder: string;
const asked: string[] = [];
let onAsked = () => {};

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('connection', 'close');
    if (request.url === '/version') response.end('{"gitVersion":"v1.36.0"}');
    else if (request.url === '/apis') response.end('{"groups":[]}');
    else response.writeHead(500).end('{}');
    onAsked();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  folder = mkdtempSync(join(tmpdir(), 'manta-run-'));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function kubeconfig(): string {
  const path = join(folder, 'kubeconfig');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const text = {
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server: url } }],
    users: [{ name: 'a', user: {} }],
  };
  writeFileSync(path, JSON.stringify(text));
  return path;
}

it('outlives an outage in which it holds no connection at all, and still ends in order', async () => {
  const main = resolve(import.meta.dirname, '../../manta/src/main.ts');
  const flags = ['--enable-leader-election=false', '--metrics-addr=0', '--health-probe-bind-address=0'];
  const child = spawn(process.execPath, [main, 'operator', `--kubeconfig=${kubeconfig()}`, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const isAskedAgain = new Promise<void>((again) => {
    // A second look at the same kind comes after a wait in which nothing is under way.
    onAsked = () => {
      if (asked.filter((path) => path.startsWith('/apis/ray.io/v1/rayclusters?')).length > 1) again();
    };
  });
  await Promise.race([isAskedAgain, ended]);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
