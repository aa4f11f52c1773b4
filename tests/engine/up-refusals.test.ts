import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { asNobody, whyNotAsNobody } from '../e2e/support/as-nobody.ts';
import { runManta, startMantaUp } from '../support/manta-up.ts';

const folder = mkdtempSync(join(tmpdir(), 'manta-refusals-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const isLinux = process.platform === 'linux';

/** Runs `manta up`; what it refuses it must refuse before Ray is looked for, in one line. */
async function refusal(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { status, stdout, stderr } = await runManta(['up', '--port=0', ...args], {
    MANTA_RAY_VENV: '/nowhere',
    ...env,
  });
  expect({ status, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 1, stdout: '', lines: 1 });
  return stderr;
}

describe('manta up', () => {
  it.runIf(isLinux)('refuses a data directory in which the system creates no folders', async () => {
    expect(await refusal(['--data-dir=/proc/manta'])).toMatch(
      /^manta: cannot use the data directory \/proc\/manta: .*choose another with --data-dir\n$/,
    );
  });

  it.runIf(isLinux)('refuses a cache in which the system creates no folders', async () => {
    const env = { MANTA_CACHE: '/proc/manta', MANTA_RAY_VENV: '', PATH: '/usr/bin:/bin' };
    expect(await refusal([`--data-dir=${join(folder, 'a')}`], env)).toMatch(/Set MANTA_CACHE to a folder/);
  });

  it('refuses an unknown feature gate before it starts anything', async () => {
    const dataDir = join(folder, 'gates');
    expect(await refusal(['--feature-gates=Typo=true', `--data-dir=${dataDir}`])).toMatch(
      /^manta: --feature-gates: unrecognized feature gate: Typo/,
    );
    expect(existsSync(dataDir)).toBe(false);
  });

  it.each(['--router-port', '--console-port'])('refuses a %s that is taken, and names the flag', async (flag) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await refusal([`${flag}=${port}`, `--data-dir=${join(folder, 'ports')}`])).toMatch(
      new RegExp(
        `on 127.0.0.1:${port}: address already in use. Choose another port with ${flag}, or ${flag} 0 for any`,
      ),
    );
    other.close();
  });

  it.each(['--cpus=0', '--cpus=many', '--memory=-1Gi'])('refuses %s', async (flag) => {
    const { status, stderr } = await runManta(['up', flag, `--data-dir=${join(folder, 'amounts')}`]);
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('an amount above 0') });
  });

  it('stops in order when its terminal is closed', async () => {
    const up = await startMantaUp(join(folder, 'hangup'));
    expect(await up.stop('SIGHUP')).toMatchObject({ status: 0 });
    expect(await runManta(['status', `--data-dir=${join(folder, 'hangup')}`])).toMatchObject({ status: 1 });
  });
});

it.skipIf(whyNotAsNobody !== undefined)(
  'manta status and down report that they may not look at another user’s engine',
  async () => {
    const dataDir = join(folder, 'others');
    mkdirSync(dataDir, { mode: 0o700 });
    chmodSync(folder, 0o755);
    for (const command of ['status', 'down']) {
      const [program, ...args] = [
        ...asNobody(mkdtempSync(join(folder, 'nobody-'))),
        resolve(import.meta.dirname, '../../bin/manta'),
        command,
        `--data-dir=${dataDir}`,
      ];
      const ended = promisify(execFile)(program, args, {
        env: { PATH: process.env['PATH'], MANTA_CACHE: join(folder, 'cache') },
      });
      await expect(ended).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('this user may not read it'),
      });
    }
  },
);
