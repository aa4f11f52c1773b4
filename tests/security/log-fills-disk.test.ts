import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { POD_LIMITS } from '@manta/base';
import { systemClock } from '@manta/kube';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serveLog } from '../../packages/kubelet/src/backend/log.ts';
import { OutputTimes } from '../../packages/kubelet/src/pods/output-times.ts';

describe('the output of a container', () => {
  let folder: string;
  let times: OutputTimes;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'manta-noisy-'));
    times = new OutputTimes(join(folder, 'output'), systemClock);
  });
  afterEach(() => {
    times.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function log(query: string): Promise<string> {
    const response = Object.assign(new PassThrough(), { writeHead: () => undefined });
    const container = {
      container: { name: 'main' },
      process: undefined,
      output: () => times.path,
      times: () => times,
      view: () => ({ name: 'main', image: '', attempt: 0, moment: { state: 'waiting', reason: '' }, last: undefined }),
    };
    const call = { query: new URLSearchParams(query), response, pod: { metadata: { name: 'p' } } };
    const said = text(response);
    await serveLog(container as never, call as never, Date.now());
    return await said;
  }

  it('takes a bounded part of the disk, of which the latest lines can be read', async () => {
    const output = openSync(times.path, 'a');
    const lines = 1_200_000;
    const noisy = spawn('seq', ['-f', 'line %012.0f with some more words to say at length', String(lines)], {
      stdio: ['ignore', output, 'ignore'],
    });
    closeSync(output);
    await once(noisy, 'close');
    const last = `line ${String(lines).padStart(12, '0')} with some more words to say at length`;
    await vi.waitFor(() => expect(statSync(times.path).blocks * 512).toBeLessThan(POD_LIMITS.outputBytes + 2 ** 20), {
      timeout: 20_000,
    });
    const said = await log('');
    expect(said.length).toBeGreaterThan(1024);
    expect(said.length).toBeLessThanOrEqual(POD_LIMITS.outputBytes);
    expect(said).not.toContain('\0');
    expect(said.trimEnd().split('\n').at(-1)).toBe(last);
    expect(said.split('\n')[0]).toMatch(/^line \d{12} with some more words to say at length$/);
    expect((await log('tailLines=2')).split('\n')[1]).toBe(last);
    // More lines than are kept cost no more than what is kept.
    expect(await log(`tailLines=${lines}`)).toBe(said);
  });
});
