import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PlainSandboxes } from '../../packages/kubelet/src/plain/plain-sandboxes.ts';
import { modes, podEnv, startSandboxedPods } from './support/sandboxed-pods.ts';

/** Larger than the kernel passes to a program: the container cannot start. */
const env = { ...podEnv, HUGE: 'x'.repeat(200 * 1024) };
const STARTS = 20;

/** The open files below a folder, of all processes that this user can see. */
function openBelow(folder: string): readonly string[] {
  const quietly = <T>(read: () => T, otherwise: T): T => {
    try {
      return read();
    } catch {
      return otherwise;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) =>
      quietly(() => readdirSync(`/proc/${pid}/fd`), []).map((fd) =>
        quietly(() => readlinkSync(`/proc/${pid}/fd/${fd}`), ''),
      ),
    )
    .filter((path) => path.startsWith(`${folder}/output`));
}

describe.runIf(process.platform === 'linux')('containers that cannot start', () => {
  it.each(modes)('leave no descriptor open in the process that serves all pods (%s)', async (mode) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'manta-descriptors-'));
    const pods = await startSandboxedPods(mode, dataDir);
    const sandbox = await pods.pod();
    for (let at = 0; at < STARTS; at++)
      await expect(sandbox.start(pods.request('true', { env }))).rejects.toThrow('E2BIG');
    expect(openBelow(dataDir)).toEqual([]);
    expect(await pods.run(sandbox, 'echo still serving')).toEqual({ code: 0, output: 'still serving\n' });
    await pods.close();
  });

  it('leave none in the engine (none)', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'manta-descriptors-'));
    const plain = await PlainSandboxes.open('descriptors');
    const start = (at: number) =>
      plain.start({
        type: 'start',
        sandbox: 'p',
        process: `p/${at}`,
        script: 'exec "$@"',
        command: ['true'],
        env,
        output: join(dataDir, `output-${at}`),
        workingDir: '/',
      });
    for (let at = 0; at < STARTS; at++) expect(() => start(at)).toThrow('E2BIG');
    expect(openBelow(dataDir)).toEqual([]);
    rmSync(dataDir, { recursive: true });
  });
});
