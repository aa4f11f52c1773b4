import type { RayJob } from '@manta/api';
import { resources } from '@manta/kube';
import { FakeHead, serveFakeHead } from '@manta/ray/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import type { CliStage } from '../cli-stage.ts';
import { type CliOptions, runCli } from '../run-cli.ts';

/** `job submit`, `job list`, `job attempts`, `wait`, `events`. */
export function jobCases(on: () => CliStage): void {
  const created = async (name: string, status: RayJob['status']) => {
    const { admin, namespace } = on();
    await admin.create(resources.rayJobs, {
      metadata: { name, namespace },
      spec: { entrypoint: 'x', clusterSelector: { 'ray.io/cluster': 'c' } },
    });
    const patch = { type: 'merge', body: { status } } as const;
    await admin.patch(resources.rayJobs, { namespace, name }, patch, { subresource: 'status' });
  };

  describe('job submit', () => {
    it('prints the generated RayJob with --dry-run', async () => {
      const { stdout } = await on().ray(
        'job submit --dry-run --name train --working-dir . --head-node-selectors os=linux --ttl-seconds-after-finished 0 -- python train.py',
      );
      const [first = '', ...rest] = stdout.split('\n');
      const id = /^Generated submission ID for Ray job: (raysubmit_\w{16})$/.exec(first)?.[1];
      expect(parse(rest.join('\n'))).toMatchObject({
        kind: 'RayJob',
        metadata: { name: 'train', namespace: on().namespace },
        spec: {
          submissionMode: 'InteractiveMode',
          jobId: id,
          entrypoint: 'python train.py',
          shutdownAfterJobFinishes: true,
          rayClusterSpec: { headGroupSpec: { template: { spec: { nodeSelector: { os: 'linux' } } } } },
        },
      });
    });

    it.each([
      ['--name x --working-dir .', 'no entrypoint is given. Put it behind --, e.g. -- python my_script.py'],
      ['--working-dir . -- python x', 'Must set either yaml file (--filename) or set Ray job name (--name)'],
      [
        '--name x --working-dir . --address head -- x',
        '--address head is not an address. Use e.g. http://localhost:8265.',
      ],
      ['--name x -- python x', 'working directory is required, use --working-dir or set with runtime env'],
      [
        '--name x --working-dir . --ttl-seconds-after-finished -5 -- x',
        '--ttl-seconds-after-finished must be greater than or equal to 0',
      ],
    ])('refuses %s', async (args, message) => {
      const { code, stderr } = await runCli(on().kubeconfig, [
        '-n',
        on().namespace,
        'job',
        'submit',
        ...args.split(' '),
      ]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: `Error: ${message}\n` });
    });
  });

  describe('job submit to a cluster that asks for a token', () => {
    /** A ready cluster with a token in its Secret, and a head that wants it. */
    const readyCluster = async () => {
      const name = on().unique('token');
      const { admin, namespace } = on();
      await on().createdCluster(name, { authOptions: { mode: 'token' } });
      await on().setStatus(name, { state: 'ready' });
      const data = { auth_token: Buffer.from('sesame').toString('base64') };
      await admin.create(resources.secrets, { metadata: { name, namespace }, data });
      const head = new FakeHead({ now: Date.now, token: 'sesame' });
      head.onSubmit = 'SUCCEEDED';
      const served = await serveFakeHead(head);
      onTestFinished(() => served.close());
      return { name, head, url: served.url };
    };
    /** Plays the operator for one RayJob: names its cluster, and later says that it succeeded. */
    const operate = async (job: string, rayClusterName: string) => {
      const { admin, namespace } = on();
      const set = (status: RayJob['status']) =>
        admin.patch(
          resources.rayJobs,
          { namespace, name: job },
          { type: 'merge', body: { status } },
          { subresource: 'status' },
        );
      await vi.waitFor(() => set({ rayClusterName }), { timeout: 10_000 });
      return () => set({ jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' });
    };
    const submit = (
      job: string,
      address: string,
      kubeconfig = on().kubeconfig,
      options: CliOptions = {},
      flags: readonly string[] = [],
    ) => {
      const words = `-n ${on().namespace} job submit --name ${job} --address ${address} --working-dir gcs://a.zip`;
      return runCli(kubeconfig, [...words.split(' '), ...flags, '--', 'python', 'x.py'], options);
    };

    it('sends the token of the Secret', async () => {
      const { name, head, url } = await readyCluster();
      const job = on().unique('job');
      const running = submit(job, url);
      const succeed = await operate(job, name);
      await vi.waitFor(() => expect(head.jobs.size).toBe(1), { timeout: 10_000 });
      await succeed();
      expect(await running).toMatchObject({ code: 0, stderr: '' });
      expect(new Set(head.requests.map(({ headers }) => headers['x-ray-authorization']))).toEqual(
        new Set(['Bearer sesame']),
      );
    });

    it('names the missing right, and deletes the RayJob, when the user may not read the Secret', async () => {
      const { name, head, url } = await readyCluster();
      const { admin, namespace } = on();
      const rules = [{ apiGroups: ['ray.io'], resources: ['rayjobs', 'rayclusters'], verbs: ['*'] }];
      await admin.create(resources.roles, { metadata: { name, namespace }, rules });
      await admin.create(resources.roleBindings, {
        metadata: { name, namespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'cli-submitter' }],
      });
      const weak = on().kubeconfigOf('cli-submitter', []);
      const job = on().unique('job');
      const running = submit(job, url, weak);
      await operate(job, name);
      const { code, stdout, stderr } = await running;
      expect(code).toBe(4);
      expect(stderr).toMatch(
        /^Error: Ray cluster \S+ asks for a token: failed to get secret \S+: .*Ask for the right to get this Secret, or set RAY_AUTH_TOKEN\.\n$/,
      );
      expect(stdout).toContain(`Cleaned Up RayJob: ${job}`);
      const second = on().unique('job');
      const again = submit(second, url, weak, { env: { RAY_AUTH_TOKEN: 'wrong' } });
      await operate(second, name);
      expect(await again).toMatchObject({ code: 4, stderr: expect.stringContaining('Ray refused the request') });
      expect(head.jobs.size).toBe(0);
    });

    it('keeps the job on Ctrl-C and says how to wait for it', async () => {
      const { name, head, url } = await readyCluster();
      head.onSubmit = 'RUNNING';
      const job = on().unique('job');
      const stop = new AbortController();
      const running = submit(job, url, undefined, { signal: stop.signal });
      await operate(job, name);
      await vi.waitFor(() => expect(head.jobs.size).toBe(1), { timeout: 10_000 });
      stop.abort();
      const { code, stderr } = await running;
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^Job raysubmit_\w+ keeps running\. To wait for its end: kubectl ray wait rayjob\/\S+ -n \S+\n$/,
      );
    });

    it('reaches --address through HTTP_PROXY', async () => {
      const { name, head, url } = await readyCluster();
      const job = on().unique('job');
      const running = submit(job, 'http://head.example:8265', undefined, { env: { HTTP_PROXY: url } }, ['--no-wait']);
      await operate(job, name);
      expect(await running).toMatchObject({ code: 0, stderr: '' });
      expect(head.jobs.size).toBe(1);
    });

    it('refuses a name that is taken', async () => {
      const job = on().unique('job');
      await created(job, {});
      expect(await submit(job, 'http://127.0.0.1:1')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('already exists'),
      });
    });
  });

  describe('job list, job attempts and wait', () => {
    const attempt = {
      number: 1,
      rayClusterName: 'c1',
      submissionId: 'id-1',
      startTime: '2026-01-01T00:00:00Z',
      endTime: '2026-01-01T00:05:30Z',
      outcome: 'Failed',
      reason: 'AppFailed',
    } as const;

    it('shows statuses, attempts and reasons', async () => {
      const name = on().unique('job');
      await created(name, {
        jobStatus: 'FAILED',
        jobDeploymentStatus: 'Failed',
        reason: 'AppFailed',
        rayClusterName: 'c1',
        attempts: [attempt],
      });
      const row = (await on().ray('job list')).stdout.split('\n').find((line) => line.startsWith(`${name} `));
      expect(row?.split(/ +/).slice(0, -1)).toEqual([name, 'FAILED', 'Failed', 'c1', '1', 'AppFailed']);
      expect((await on().ray(`job attempts ${name}`)).stdout.split('\n')[1]?.split(/ {2,}/)).toEqual([
        '1',
        'Failed',
        'AppFailed',
        'c1',
        'id-1',
        '5m30s',
      ]);
    });

    it('waits for the end of a job and fails when the job failed', async () => {
      const [good, bad, slow] = [on().unique('job'), on().unique('job'), on().unique('job')];
      await created(good, { jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' });
      await created(bad, { jobStatus: 'FAILED', jobDeploymentStatus: 'Failed', message: 'exit code 3' });
      await created(slow, { jobStatus: 'RUNNING', jobDeploymentStatus: 'Running' });
      expect(await on().ray(`wait rayjob/${good}`)).toMatchObject({
        code: 0,
        stdout: `rayjob/${good} ended with SUCCEEDED\n`,
      });
      expect(await on().ray(`wait rayjob/${bad}`)).toMatchObject({
        code: 1,
        stderr: `Error: rayjob/${bad} failed: exit code 3\n`,
      });
      expect(await on().ray(`wait rayjob/${slow} --timeout 300ms`)).toMatchObject({ code: 3 });
    });
  });

  describe('events', () => {
    it('shows the events of an object and of its pods', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      await on().createdCluster(`${name}-b`);
      const event = (object: string, kind: string, reason: string) => ({
        metadata: { name: on().unique('event'), namespace: on().namespace },
        type: 'Warning',
        reason,
        action: 'Test',
        note: 'what happened',
        reportingController: 'test',
        reportingInstance: 'test-1',
        eventTime: '2026-01-01T00:00:00.000000Z',
        regarding: { kind, namespace: on().namespace, name: object, apiVersion: kind === 'Pod' ? 'v1' : 'ray.io/v1' },
      });
      for (const one of [
        event(name, 'RayCluster', 'First'),
        event(`${name}-head-x`, 'Pod', 'Second'),
        event('other', 'Pod', 'Third'),
        event(`${name}-b-head-x`, 'Pod', 'Fourth'),
      ])
        await on().admin.create(resources.events, one);
      const { stdout } = await on().ray(`events ${name}`);
      expect(stdout).toContain(`raycluster/${name}`);
      expect(stdout).toContain(`pod/${name}-head-x`);
      expect(stdout).not.toMatch(/Third|Fourth/);
    });
  });
}
