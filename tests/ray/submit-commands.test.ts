import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { JobSubmissionMode, type RayJobSpec } from '@manta/api';
import { systemClock } from '@manta/kube';
import { buildJobSubmission, submitCommand } from '@manta/plan';
import { createHttpSend, createRayClient, type RayClient } from '@manta/ray';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildContext } from '../../packages/plan/src/testing/build-context.ts';
import { type LocalRayHead, startRayHead } from '../support/ray-head.ts';
import { provideRay } from '../../packages/manta/src/local/provide-ray.ts';

const http = createHttpSend();
const token = 'manta-tests-token';
const patience = { timeout: 90_000, interval: 200 };
let head: LocalRayHead;
let client: RayClient;
beforeAll(async () => {
  head = await startRayHead({
    venv: await provideRay(),
    env: { RAY_AUTH_MODE: 'token', RAY_AUTH_TOKEN: token },
  });
  client = createRayClient({
    clock: systemClock,
    send: http.send,
    head: { url: head.url, token },
    questionTimeoutMs: 30_000,
  });
}, 300_000);
afterAll(async () => {
  http.close();
  await head.stop();
}, 60_000);

/** What the operator would have a container run to submit this job. */
function commandFor(jobId: string, spec: RayJobSpec, gates = {}): string {
  const { host, port } = new URL(head.url);
  const ports = [{ name: 'dashboard', containerPort: Number(port) }];
  const rayClusterSpec = { headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', ports }] } } } };
  const input = { spec: { rayClusterSpec, ...spec }, jobId, dashboardUrl: host, parseYaml: parse };
  const command = submitCommand(input, buildContext({ gates }));
  if (!command.ok) throw new Error(command.error);
  return command.value;
}

const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Runs it as the container would; resolves with its exit status and what it printed. */
async function bash(command: string): Promise<{ status: number | null; output: string }> {
  const env = { ...process.env, ...head.env, PYTHONUNBUFFERED: '1' };
  const child = spawn('/bin/bash', ['-ce', '--', command], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  const exited = once(child, 'exit');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = (await exited) as [number | null];
  return { status, output: `${output}${errors}` };
}
const statusOf = async (id: string) => (await client.getJob(id))?.status;

describe.each([
  ['K8sJobMode', JobSubmissionMode.K8sJob],
  ['SidecarMode', JobSubmissionMode.Sidecar],
])("the submitter's command in %s, on a real head", (mode, submissionMode) => {
  const name = mode.toLowerCase();

  test('runs a job to its success under the given id, and shows what it prints', async () => {
    const id = `${name}-good`;
    const spec = {
      submissionMode,
      entrypoint: `python -c "import os; print('hello', os.environ['WHO'])"`,
      runtimeEnvYAML: 'env_vars:\n  WHO: "wörld"\n',
      metadata: { team: 'blue' },
    };
    const { status, output } = await bash(commandFor(id, spec));
    expect(output).toContain('hello wörld');
    expect(status).toBe(0);
    expect(await client.getJob(id)).toMatchObject({
      status: 'SUCCEEDED',
      submissionId: id,
      metadata: { team: 'blue' },
    });
  });

  test('shows what a job printed that fails', async () => {
    const id = `${name}-bad`;
    const { output } = await bash(commandFor(id, { submissionMode, entrypoint: `python -c "print('oops'); exit(3)"` }));
    expect(output).toContain('oops');
    expect(await client.getJob(id)).toMatchObject({ status: 'FAILED', driverExitCode: 3 });
  });

  test('ends when its job is stopped', async () => {
    const id = `${name}-stopped`;
    const submitter = bash(commandFor(id, { submissionMode, entrypoint: 'sleep 300' }));
    await expect.poll(() => statusOf(id), patience).toBe('RUNNING');
    await client.stopJob(id);
    await submitter;
    expect(await statusOf(id)).toBe('STOPPED');
  });
});

describe('on a real head', () => {
  test.each([
    ['K8sJobMode', JobSubmissionMode.K8sJob, {}],
    ['SidecarMode with restarts', JobSubmissionMode.Sidecar, { SidecarSubmitterRestart: true }],
  ])(
    "the submitter's command in %s, run a second time, submits nothing and shows the same",
    async (mode, submissionMode, gates) => {
      const id = `twice-${mode.length}`;
      const command = commandFor(id, { submissionMode, entrypoint: 'echo once' }, gates);
      await bash(command);
      const before = await client.getJob(id);
      const { output } = await bash(command);
      expect(output).toContain('once');
      expect(await client.getJob(id)).toEqual(before);
    },
  );

  test('an entrypoint with quotes, dollars, new lines and other alphabets arrives as it was written', async () => {
    const spec = {
      entrypoint: `python -c "print('a\\'b', \\"$HOME\\" != '', 'ünï')\nprint(2)"`,
      runtimeEnvYAML: 'env_vars: {A: "x\'y"}',
    };
    const submission = buildJobSubmission(spec, 'quotes', parse);
    if (!submission.ok) throw new Error(submission.error);
    await client.submitJob(submission.value);
    await expect.poll(() => statusOf('quotes'), patience).toBe('SUCCEEDED');
    expect(await client.getJob('quotes')).toMatchObject({ entrypoint: spec.entrypoint });
    expect(await client.getJobLogs('quotes')).toContain("a'b True ünï\n2\n");
  });

  test('another life of the head knows none of the jobs, and says so by its session', async () => {
    const before = await client.getVersion();
    await client.submitJob({ submissionId: 'mortal', entrypoint: 'sleep 300' });
    await head.restart();
    expect((await client.getVersion()).sessionName).not.toBe(before.sessionName);
    expect(await client.getJob('mortal')).toBeUndefined();
  });
});
