import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliOptions, runCli } from '../cli/run-cli.ts';
import { endLocalRay, type LocalRay, startLocalRay } from './support/local-ray.ts';
import { NAMESPACE } from './support/look.ts';

const MIB = 1024 * 1024;

let local: LocalRay;
let directory: string;

beforeAll(async () => {
  local = await startLocalRay();
  directory = join(local.folder, 'project');
  mkdirSync(directory);
  writeFileSync(join(directory, 'helper.py'), 'import ray\n@ray.remote\ndef double(x): return 2 * x\n');
  writeFileSync(join(directory, 'data.txt'), 'from a file');
  writeFileSync(
    join(directory, 'main.py'),
    'import os, ray, helper\nray.init()\nprint(open("data.txt").read(), os.environ["WHO"], ray.get(helper.double.remote(21)))\n',
  );
  writeFileSync(join(directory, 'broken.py'), 'raise ValueError("no such luck")\n');
  writeFileSync(
    join(directory, 'slow.py'),
    'import os, time\nprint("begun", flush=True)\nwhile not os.path.exists("/tmp/go"): time.sleep(0.2)\nprint("done")\n',
  );
});
afterAll(() => endLocalRay(local));

const ray = (args: readonly string[], options?: CliOptions) => runCli(local.kubeconfig, args, options);

/** A directory with incompressible files of this size in all. */
function sized(name: string, mib: number): string {
  const folder = join(local.folder, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'main.py'), 'import os; print(os.path.getsize("noise-0.bin"))\n');
  for (let part = 0; part < mib; part += 33)
    writeFileSync(join(folder, `noise-${part}.bin`), randomBytes(Math.min(33, mib - part) * MIB));
  return folder;
}

describe('kubectl ray run on real Ray', () => {
  it('runs two modules and a data file to the end, from a Secret', async () => {
    const args = ['run', directory, '--name', 'works', '--env', 'WHO=me', '--retries', '1', '--', 'python', 'main.py'];
    const { code, stdout, stderr } = await ray(args);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('ended with SUCCEEDED') });
    expect(stdout).toContain('from a file me 42');
    const job = await local.client.get(resources.rayJobs, { namespace: NAMESPACE, name: 'works' });
    expect(job.status).toMatchObject({ jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' });
    expect((await ray(['delete', 'rayjob/works', '--yes'])).code).toBe(0);
  });

  it('fails with the traceback on a running cluster', async () => {
    const create = 'create cluster shared --head-cpu 1 --head-memory 2Gi --worker-replicas 0 --wait';
    expect(await ray(create.split(' '))).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await ray(['run', directory, '--on', 'shared', '--', 'python', 'broken.py']);
    expect(code).toBe(1);
    expect(stdout).toContain('ValueError: no such luck');
    expect(stderr).toMatch(/Error: rayjob\/\S+ in namespace default failed/);
  });

  it('detaches on Ctrl-C and is followed again to its end', async () => {
    const stop = new AbortController();
    const onOutput = (text: string) => {
      if (text.includes('begun')) stop.abort();
    };
    const args = ['run', directory, '--on', 'shared', '--name', 'slow', '--', 'python', 'slow.py'];
    const first = await ray(args, { signal: stop.signal, onOutput });
    expect(first.code).toBe(1);
    expect(first.stderr).toContain('kubectl ray job logs slow -f -n default');
    expect((await ray(['job', 'logs', 'slow'])).stdout).toContain('begun');
    const again = ray(['job', 'logs', 'slow', '-f']);
    expect((await ray(['exec', 'shared', '--', 'touch', '/tmp/go'])).code).toBe(0);
    const { code, stdout } = await again;
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/begun[\s\S]*done/) });
    expect((await ray(['delete', 'shared', 'rayjob/slow', '--yes'])).code).toBe(0);
  });

  it('uploads 99 MiB to a new cluster', async () => {
    const { code, stdout, stderr } = await ray(['run', sized('p99', 99), '--name', 'large', '--', 'python', 'main.py']);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('No retry after a lost head') });
    expect(stdout).toContain(String(33 * MIB));
  });

  it('refuses 101 MiB with the largest files, and creates nothing', async () => {
    const { code, stderr } = await ray(['run', sized('p101', 101), '--name', 'too-large', '--', 'python', 'main.py']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/is too large for Ray: 101\.\d MiB in \d files; the limit is 100\.0 MiB[\s\S]*noise-0\.bin/);
    expect((await ray(['job', 'logs', 'too-large'])).stderr).toContain('unable to find RayJob too-large');
  });
});
