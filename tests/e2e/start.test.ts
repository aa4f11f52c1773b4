import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { cacheRoot } from '../../packages/manta/src/local/provide-ray.ts';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { processesOf } from './support/local-ray.ts';

const root = resolve(import.meta.dirname, '../..');
const home = mkdtempSync(join(tmpdir(), 'manta-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** `npm start` after the installation, on a machine where no cluster is configured. */
function start(args: readonly string[]) {
  const { KUBECONFIG: _k, KUBERNETES_SERVICE_HOST: _h, ...env } = process.env;
  const flags = ['--disable-warning=ExperimentalWarning', join(root, 'tools/dev/start.ts'), ...args];
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(process.execPath, flags, {
    env: { ...env, HOME: home, TMPDIR: home, MANTA_CACHE: cacheRoot(process.env) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, as a terminal gives it: Ctrl-C reaches all that is in it.
    detached: true,
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<number | null>((done) => {
    child.once('close', done);
  });
  return { child, ended, said: () => said };
}

describe('npm start', () => {
  it('runs the sample RayJob on real Ray, shows its output and, with --exit, leaves with success and nothing behind', async () => {
    const { ended, said } = start(['--exit']);
    const status = await ended;
    expect({ status, said: status === 0 ? '' : said() }).toEqual({ status: 0, said: '' });
    for (const stage of ['API and operator up', 'head ready', 'worker ready', 'job SUCCEEDED'])
      expect(said()).toContain(stage);
    expect(said()).toMatch(/│ Ray [\d.]+ ran 20 tasks:/);
    // oxlint-disable-next-line no-control-regex
    expect(said()).not.toMatch(/\u001b/);
    expect(readdirSync(home)).toEqual([]);
    expect(processesOf(home)).toEqual([]);
  });

  it('does the same without namespaces', async () => {
    const { ended, said } = start(['--exit', '--sandbox', 'none']);
    const status = await ended;
    expect({ status, said: status === 0 ? '' : said() }).toEqual({ status: 0, said: '' });
    expect(said()).toContain('pods run without namespaces');
    expect(said()).toMatch(/│ Ray [\d.]+ ran 20 tasks:/);
    expect(readdirSync(home)).toEqual([]);
    expect(processesOf(home)).toEqual([]);
  });

  const STAGES = { 'at once': /Starting/, 'when the API is up': /API and operator up/, 'in the middle': /head pod/ };
  it.each(Object.entries(STAGES))(
    'leaves in order when Ctrl-C is pressed %s, and when it is pressed again',
    async (_, stage) => {
      for (const times of [1, 2]) {
        const { child, ended, said } = start([]);
        await vi.waitFor(() => expect(said()).toMatch(stage), { timeout: 60_000, interval: 20 });
        for (let time = 0; time < times; time += 1) process.kill(-(child.pid ?? 0), 'SIGINT');
        const status = await ended;
        expect({ times, status, said: said() }).toMatchObject({
          times,
          said: expect.not.stringMatching(/Error|at .*\.ts:/),
        });
        await vi.waitFor(() => expect([readdirSync(home), processesOf(home)]).toEqual([[], []]), { timeout: 20_000 });
      }
    },
  );

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'leaves in order on a %s that only it gets, also when nobody reads its output any more',
    async (signal) => {
      const { child, ended, said } = start([]);
      await vi.waitFor(() => expect(said()).toContain('head pod'), { timeout: 60_000, interval: 50 });
      // A terminal that is closed.
      if (signal === 'SIGHUP') for (const stream of [child.stdout, child.stderr]) stream.destroy();
      child.kill(signal);
      expect(await ended).toBe(0);
      expect(readdirSync(home)).toEqual([]);
      expect(processesOf(home)).toEqual([]);
    },
  );
});
