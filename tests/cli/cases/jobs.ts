import type { RayJob } from '@manta/api';
import { resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { CliStage } from '../cli-stage.ts';
import { runCli } from '../run-cli.ts';

/** `job submit`, `job list`, `job attempts`, `wait`, `events`. */
export function jobCases(on: () => CliStage): void {
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

  describe('job list, job attempts and wait', () => {
    const created = async (name: string, status: RayJob['status']) => {
      await on().admin.create(resources.rayJobs, {
        metadata: { name, namespace: on().namespace },
        spec: { entrypoint: 'x', clusterSelector: { 'ray.io/cluster': 'c' } },
      });
      const options = { subresource: 'status' };
      await on().admin.patch(
        resources.rayJobs,
        { namespace: on().namespace, name },
        { type: 'merge', body: { status } },
        options,
      );
    };
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
      ])
        await on().admin.create(resources.events, one);
      const { stdout } = await on().ray(`events ${name}`);
      expect(stdout).toContain(`raycluster/${name}`);
      expect(stdout).toContain(`pod/${name}-head-x`);
      expect(stdout).not.toContain('Third');
    });
  });
}
