import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, describe, expect, it, vi } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const home = mkdtempSync(join(tmpdir(), 'manta-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** `npm start` after the installation, on a machine where no cluster is configured. */
function start(args: readonly string[]) {
  const { KUBECONFIG: _k, KUBERNETES_SERVICE_HOST: _h, ...env } = process.env;
  const flags = ['--disable-warning=ExperimentalWarning', join(root, 'tools/start.ts'), ...args];
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(process.execPath, flags, {
    env: { ...env, HOME: home, TMPDIR: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<number | null>((done) => {
    child.once('close', done);
  });
  return { child, ended, said: () => said };
}

const leftOvers = () => readdirSync(home).filter((name) => name.startsWith('manta-start-'));

describe('npm start without a cluster', () => {
  it('shows what the operator makes of the sample and, with --exit, leaves with success and nothing behind', async () => {
    const { ended, said } = start(['--exit']);
    expect(await ended).toBe(0);
    expect(said()).toMatch(/^ {2}Service {2}sample-head-svc$/m);
    expect(said().match(/^ {2}Pod .* Pending$/gm)).toHaveLength(2);
    expect(said()).toContain('The pods stay Pending');
    // oxlint-disable-next-line no-control-regex
    expect(said()).not.toMatch(/\u001b/);
    expect(leftOvers()).toEqual([]);
  });

  it('stays up until it is told to stop', async () => {
    const { child, ended, said } = start([]);
    await vi.waitFor(() => expect(said()).toContain('Ctrl-C stops everything'), { timeout: 50_000, interval: 50 });
    expect(child.exitCode).toBeNull();
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(leftOvers()).toEqual([]);
  });
});
