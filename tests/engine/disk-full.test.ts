import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createRequester } from '../support/api-request.ts';
import { credentialsOf } from './support/engine-child.ts';

const MANTA = resolve(import.meta.dirname, '../../bin/manta');
const canMount = spawnSync('unshare', ['-Urm', 'true']).status === 0;

describe.skipIf(!canMount)('a disk that is full', () => {
  const folder = mkdtempSync(join(tmpdir(), 'manta-full-'));
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  /** `manta up` on a disk of its own, of this many kilobytes, of which so many are taken by a file that has nothing to do with it. */
  function up(name: string, size: number, taken: number) {
    const disk = join(folder, name);
    mkdirSync(disk);
    const kubeconfig = join(folder, `${name}.kubeconfig`);
    const script = `mount -t tmpfs -o size=${size}k tmpfs "$0" && head -c ${taken}k /dev/zero > "$0/filler"; exec "$@"`;
    const flags = ['up', '--no-pods', '--port=0', `--data-dir=${disk}/data`, `--kubeconfig-out=${kubeconfig}`];
    const child = spawn('unshare', ['-Urm', 'sh', '-c', script, disk, MANTA, ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = new Promise<number | null>((done) => {
      child.once('close', done);
    });
    return { child, ended, disk, kubeconfig, said: () => said };
  }

  it('is a reason not to start, in one sentence', async () => {
    const { ended, said } = up('small', 300, 0);
    expect(await ended).toBe(1);
    expect(said()).toMatch(/^manta: cannot (write to|open|use) .*the disk is full; .*\n$/);
  });

  it('refuses what cannot be kept, keeps what there was, and goes on when there is room again', async () => {
    const { child, disk, kubeconfig, said } = up('large', 6000, 3000);
    await vi.waitFor(() => expect({ there: existsSync(kubeconfig), said: said() }).toMatchObject({ there: true }), {
      timeout: 30_000,
    });
    const api = createRequester(credentialsOf(readFileSync(kubeconfig, 'utf8')));
    const path = '/api/v1/namespaces/default/configmaps';
    const create = (name: string) => api('POST', path, { metadata: { name }, data: { text: 'x'.repeat(300_000) } });
    let count = 0;
    let answer = await create('c0');
    while (answer.status === 201 && count < 60) answer = await create(`c${(count += 1)}`);
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.body)).toContain('the disk is full; make room there, then it goes on');
    expect((await api('GET', `${path}/c0`)).status).toBe(200);
    expect((await api('GET', `${path}/c${count}`)).status).toBe(404);
    rmSync(`/proc/${child.pid}/root${disk}/filler`);
    expect((await create(`c${count}`)).status).toBe(201);
  });
});
