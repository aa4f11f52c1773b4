import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RayJob } from '@manta/api';
import { resources } from '@manta/kube';
import { FakeHead, serveFakeHead } from '@manta/ray/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import type { CliStage } from '../cli-stage.ts';
import { type CliOptions, runCli } from '../run-cli.ts';

/** `run`, `job logs`, `job stop`. */
export function runCases(on: () => CliStage): void {
  const project = (files: Readonly<Record<string, string | Buffer>> = { 'main.py': 'print(1)\n' }) => {
    const dir = join(on().folder, on().unique('project'));
    mkdirSync(dir);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content);
    return dir;
  };
  const ray = (args: readonly string[], options?: CliOptions, kubeconfig = on().kubeconfig) =>
    runCli(kubeconfig, ['-n', on().namespace, ...args], options);
  const head = async () => {
    const fake = new FakeHead({ now: Date.now });
    const served = await serveFakeHead(fake);
    onTestFinished(() => served.close());
    return { fake, url: served.url };
  };
  /** Plays the operator: waits for the RayJob, then writes a status. */
  const setStatus = async (name: string, status: RayJob['status']) => {
    const { admin, namespace } = on();
    const patch = { type: 'merge', body: { status } } as const;
    await vi.waitFor(() => admin.patch(resources.rayJobs, { namespace, name }, patch, { subresource: 'status' }), {
      timeout: 10_000,
    });
  };
  const readyCluster = async () => {
    const name = on().unique('cluster');
    await on().createdCluster(name);
    await on().setStatus(name, { state: 'ready' });
    return name;
  };

  describe('run', () => {
    it('prints the RayJob with --dry-run, and on standard error what it packs', async () => {
      const dir = project({ 'main.py': 'x', 'data.bin': Buffer.alloc(3000) });
      const { code, stdout, stderr } = await ray([
        'run',
        dir,
        '--dry-run',
        '--retries',
        '1',
        '--env',
        'A=1',
        '--pip',
        'requests',
        '--',
        'python',
        'main.py',
      ]);
      expect(code).toBe(0);
      expect(parse(stdout)).toMatchObject({
        kind: 'RayJob',
        spec: { entrypoint: 'python main.py', backoffLimit: 1, submissionMode: 'HTTPMode' },
      });
      expect(stderr).toMatch(/^Packed .*: 2 files, 2\.9 KiB, \d+ B compressed\. Largest:\n +2\.9 KiB {2}data\.bin\n/);
      expect(stderr).not.toContain('Created');
    });

    it('packs the current directory when none is named', async () => {
      const { code, stderr } = await ray(['run', '--on', 'nothing', '--', 'python', 'x.py']);
      expect(code).toBe(1);
      expect(stderr).toMatch(/Packed \.: .*unable to find RayCluster nothing/s);
    });

    it.each([
      [['run'], 'no command is given. Put it behind --'],
      [['run', 'a', 'b', '--', 'x'], '"a b" names more than one directory'],
      [['run', '/nonexistent', '--', 'x'], 'the directory /nonexistent cannot be read'],
      [['run', '.', '--retries', '1', '--on', 'c', '--', 'x'], '--retries cannot be combined with --on'],
      [['run', '.', '--gpus', 'many', '--', 'x'], 'gpus'],
    ])('refuses %j', async (args, message) => {
      expect(await ray(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    });

    it('keeps a small package in a Secret that the RayJob owns, prints the output, and succeeds with the job', async () => {
      const { fake, url } = await head();
      const [name, cluster] = [on().unique('run'), await readyCluster()];
      const running = ray(['run', project(), '--name', name, '--address', url, '--', 'python', 'main.py']);
      await setStatus(name, { jobDeploymentStatus: 'Initializing', rayClusterName: cluster });
      const job = await on().admin.get(resources.rayJobs, { namespace: on().namespace, name });
      const secret = await vi.waitFor(() =>
        on().admin.get(resources.secrets, { namespace: on().namespace, name: `${name}-package` }),
      );
      expect(secret.metadata?.ownerReferences).toMatchObject([{ kind: 'RayJob', uid: job.metadata?.uid }]);
      expect(
        Buffer.from(secret.data?.['package.zip'] ?? '', 'base64')
          .subarray(0, 2)
          .toString(),
      ).toBe('PK');
      fake.setJob('raysubmit_a', { status: 'SUCCEEDED', logs: 'hello\n' });
      await setStatus(name, { jobId: 'raysubmit_a', jobStatus: 'RUNNING', jobDeploymentStatus: 'Running' });
      await setStatus(name, { jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' });
      const { code, stdout, stderr } = await running;
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello\n' });
      expect(stderr).toContain(`rayjob/${name} in namespace ${on().namespace} ended with SUCCEEDED.\n`);
    });

    it('prints the output of each attempt and fails with the job', async () => {
      const { fake, url } = await head();
      const [name, cluster] = [on().unique('run'), await readyCluster()];
      const running = ray(['run', project(), '--name', name, '--retries', '1', '--address', url, '--', 'x']);
      fake.setJob('first', { status: 'FAILED', logs: 'one\n' });
      fake.setJob('second', { status: 'FAILED', logs: 'two\n' });
      const state = { rayClusterName: cluster, jobDeploymentStatus: 'Running', jobStatus: 'FAILED' } as const;
      await setStatus(name, { ...state, jobId: 'first' });
      await vi.waitFor(() => expect(fake.requests.some(({ path }) => path.includes('first'))).toBe(true), {
        timeout: 10_000,
      });
      await setStatus(name, { ...state, jobId: 'second' });
      await setStatus(name, {
        jobDeploymentStatus: 'Failed',
        reason: 'AppFailed',
        message: 'Job failed\nTraceback\nValueError: no',
      });
      const { code, stdout, stderr } = await running;
      expect({ code, stdout }).toEqual({ code: 1, stdout: 'one\ntwo\n' });
      expect(stderr).toMatch(/Error: rayjob\/\S+ in namespace \S+ failed \(AppFailed\): ValueError: no\n$/);
    });

    it('uploads a package that is too large for a Secret when the head is ready', async () => {
      const { fake, url } = await head();
      const [name, cluster] = [on().unique('run'), await readyCluster()];
      fake.onSubmit = 'SUCCEEDED';
      const dir = project({ 'main.py': 'x', 'noise.bin': randomBytes(1_000_000) });
      const running = ray(['run', dir, '--name', name, '--detach', '--address', url, '--', 'python', 'main.py']);
      await setStatus(name, { jobDeploymentStatus: 'Waiting', rayClusterName: cluster });
      const { code, stdout, stderr } = await running;
      expect(code).toBe(0);
      expect(stderr).toContain('No retry after a lost head: the package is larger than 700 KB');
      expect(stdout).toContain(`rayjob/${name} runs. To see its output: kubectl ray job logs ${name} -f`);
      expect([...fake.jobs.values()]).toMatchObject([
        { entrypoint: 'python main.py', runtime_env: { working_dir: expect.stringMatching(/^gcs:\/\/_ray_pkg_/) } },
      ]);
      expect(await ray(['run', dir, '--retries', '1', '--', 'x'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--retries 1 is not possible'),
      });
    });

    it('detaches on Ctrl-C and prints how to come back', async () => {
      const { fake, url } = await head();
      const [name, cluster] = [on().unique('run'), await readyCluster()];
      const stop = new AbortController();
      const onOutput = (text: string) => {
        if (text.includes('started')) stop.abort();
      };
      const options = { signal: stop.signal, onOutput };
      const running = ray(['run', project(), '--name', name, '--address', url, '--', 'x'], options);
      fake.setJob('raysubmit_b', { status: 'RUNNING', logs: 'started\n' });
      await setStatus(name, {
        rayClusterName: cluster,
        jobId: 'raysubmit_b',
        jobStatus: 'RUNNING',
        jobDeploymentStatus: 'Running',
      });
      const { code, stderr } = await running;
      expect(code).toBe(1);
      expect(stderr).toContain(
        `Detached: rayjob/${name} keeps running. To see its output: kubectl ray job logs ${name} -f -n ${on().namespace}.`,
      );
    });

    it('uploads instead when the user may not create Secrets', async () => {
      const { url } = await head();
      const name = on().unique('run');
      const { admin, namespace } = on();
      const rules = [{ apiGroups: ['ray.io'], resources: ['*'], verbs: ['*'] }];
      await admin.create(resources.roles, { metadata: { name, namespace }, rules });
      await admin.create(resources.roleBindings, {
        metadata: { name, namespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'cli-runner' }],
      });
      const weak = on().kubeconfigOf('cli-runner', []);
      const args = ['run', project(), '--name', name, '--detach', '--address', url, '--', 'x'];
      const running = ray(args, {}, weak);
      await setStatus(name, { jobDeploymentStatus: 'Waiting', rayClusterName: await readyCluster() });
      expect(await running).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('you may not create Secrets'),
      });
    });
  });

  describe('job logs and job stop', () => {
    const started = async (url: string, fake: FakeHead, status: string) => {
      const [name, cluster] = [on().unique('job'), await readyCluster()];
      await on().admin.create(resources.rayJobs, {
        metadata: { name, namespace: on().namespace },
        spec: { entrypoint: 'x', clusterSelector: { 'ray.io/cluster': cluster } },
      });
      fake.setJob(name, { status, logs: 'printed\n' });
      await setStatus(name, {
        rayClusterName: cluster,
        jobId: name,
        jobStatus: 'RUNNING',
        jobDeploymentStatus: 'Running',
      });
      return { name, at: ['--address', url] };
    };

    it('prints the output so far', async () => {
      const { fake, url } = await head();
      const { name, at } = await started(url, fake, 'RUNNING');
      expect(await ray(['job', 'logs', name, ...at])).toEqual({ code: 0, stdout: 'printed\n', stderr: '' });
    });

    it('stops a running job once', async () => {
      const { fake, url } = await head();
      const { name, at } = await started(url, fake, 'RUNNING');
      expect(await ray(['job', 'stop', `rayjob/${name}`, ...at])).toMatchObject({
        code: 0,
        stdout: `Stopped rayjob ${name} (job ${name})\n`,
      });
      expect((await ray(['job', 'stop', name, ...at])).stdout).toContain('has already ended');
    });

    it('says that a job has not started, with exit code 3', async () => {
      const name = on().unique('job');
      await on().admin.create(resources.rayJobs, {
        metadata: { name, namespace: on().namespace },
        spec: { entrypoint: 'x', clusterSelector: { 'ray.io/cluster': 'c' } },
      });
      const { code, stderr } = await ray(['job', 'stop', name]);
      expect(code).toBe(3);
      expect(stderr).toMatch(/^Error: rayjob\/\S+ has not started: its status is empty\. kubectl ray why/);
    });

    it('lists candidates for a job that does not exist', async () => {
      const { code, stderr } = await ray(['job', 'logs', 'nothing-here']);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Error: unable to find RayJob nothing-here: .* In this namespace: rayjob\//);
    });
  });
}
