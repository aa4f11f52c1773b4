import { readdirSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { endLocalRay, type LocalRay, startLocalRay } from './support/local-ray.ts';
import { NAMESPACE, until } from './support/look.ts';

const SMALL = '--head-cpu 1 --head-memory 2Gi --worker-replicas 0'.split(' ');

let local: LocalRay;
let kubeconfig: string;
let directory: string;

beforeAll(async () => {
  local = await startLocalRay();
  kubeconfig = local.kubeconfig;
  directory = join(local.folder, 'project');
  mkdirSync(directory);
  writeFileSync(join(directory, 'helper.py'), 'import ray\n@ray.remote\ndef double(x): return 2 * x\n');
  writeFileSync(join(directory, 'data.txt'), 'from a file');
  writeFileSync(
    join(directory, 'main.py'),
    'import ray, helper\nray.init()\nprint(open("data.txt").read(), ray.get(helper.double.remote(21)))\n',
  );
  writeFileSync(join(directory, 'broken.py'), 'raise ValueError("no such luck")\n');
});
afterAll(() => endLocalRay(local));

const ray = (...args: readonly string[]) => runCli(kubeconfig, args);
const submit = (name: string, script: string) =>
  ray('job', 'submit', '--name', name, '--working-dir', directory, ...SMALL, '--', 'python', script);

describe('kubectl ray on real Ray', () => {
  it('runs a local directory as a job and prints its output, without Python on this side', async () => {
    const { code, stdout, stderr } = await submit('works', 'main.py');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('from a file 42');
    const id = /raysubmit_\w+/.exec(stdout)?.[0];
    const job = await local.client.get(resources.rayJobs, { namespace: NAMESPACE, name: 'works' });
    expect(job.status).toMatchObject({ jobId: id, jobStatus: 'SUCCEEDED' });
  });

  it("downloads each pod's output and Ray's own log files", async () => {
    const folder = join(local.folder, 'logs');
    mkdirSync(folder);
    const { code, stdout } = await ray('log', 'rayjob/works', '--out-dir', folder);
    expect(code).toBe(0);
    expect(stdout).toContain('Command set to retrieve both head and worker node logs.');
    const [pod = ''] = readdirSync(folder);
    expect(stdout).toContain(`Downloading log for Ray Node ${pod}`);
    expect(readFileSync(join(folder, pod, 'stdout.log'), 'utf8')).toContain('Ray runtime started');
    expect(readFileSync(join(folder, pod, 'raylet.out'), 'utf8').length).toBeGreaterThan(100);
  });

  it('forwards ports to the head until it is stopped', async () => {
    const stop = new AbortController();
    let printed = '';
    const options = { signal: stop.signal, onOutput: (text: string) => void (printed += text) };
    const session = runCli(kubeconfig, ['session', 'rayjob/works'], options);
    const port = await until(
      'the address of the dashboard',
      () => Promise.resolve(/Ray Dashboard: http:\/\/localhost:(\d+)/.exec(printed)?.[1]),
      (found) => found !== undefined,
    );
    const answer = await fetch(`http://127.0.0.1:${port}/api/version`);
    expect(await answer.json()).toMatchObject({ ray_version: expect.stringMatching(/^2\./) });
    stop.abort();
    expect((await session).code).toBe(0);
    await expect(fetch(`http://127.0.0.1:${port}/api/version`)).rejects.toThrow('fetch failed');
    expect((await ray('delete', 'rayjob/works', '--yes')).code).toBe(0);
  });

  it('fails with the traceback when the job fails', async () => {
    const { code, stdout, stderr } = await submit('fails', 'broken.py');
    expect(code).toBe(1);
    expect(stdout).toContain('ValueError: no such luck');
    expect(stderr).toMatch(/^Error: job raysubmit_\w+ failed: /);
  });

  it('shows the cause, the pods and their last lines after the job and its cluster were deleted', async () => {
    expect((await ray('delete', 'rayjob/fails', '--yes')).code).toBe(0);
    const page = await until(
      'the end of the head in the history',
      async () => (await ray('history', 'show', 'rayjob/fails')).stdout,
      (text) => /-head-\S+ +head .* ray-head \d+/.test(text),
    );
    expect(page).toMatch(/^RayJob default\/fails: Failed \(created \S+ ago, deleted \S+ ago\)/);
    expect(page).toContain('no such luck');
    expect((await ray('history', 'logs', 'rayjob/fails', '--pod', 'head')).stdout).toContain('Ray runtime started');
  });
});
