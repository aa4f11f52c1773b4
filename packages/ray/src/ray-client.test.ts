import { FakeClock } from '@manta/runtime/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { createRayClient, type RayClient } from './ray-client.ts';
import { FakeHead } from './testing/fake-head.ts';
import { fakeSend } from './testing/fake-send.ts';

let clock: FakeClock;
let head: FakeHead;
let client: RayClient;
const connect = (token?: string) =>
  createRayClient({ clock, send: fakeSend(clock, () => head), head: { url: 'http://head:8265', token } });
beforeEach(() => {
  clock = new FakeClock();
  head = new FakeHead({ now: () => clock.now() });
  client = connect();
});

/** What went over the wire last. */
const last = () => {
  const request = head.requests.at(-1);
  return request && `${request.method} ${request.path} ${request.body}`.trim();
};
const wrong = (status: number, body: string) => {
  head.mood = { kind: 'wrong', status, body };
};

describe('submitting', () => {
  test('sends what is given and leaves out what is empty', async () => {
    await client.submitJob({ entrypoint: ' echo "é"\n', submissionId: 'j' });
    expect(last()).toBe(String.raw`POST /api/jobs/ {"entrypoint":" echo \"é\"\n","submission_id":"j"}`);
    expect(head.requests[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
    await client.submitJob({
      entrypoint: 'x',
      submissionId: 'k',
      runtimeEnv: { pip: ['a'] },
      metadata: { a: 'b' },
      entrypointNumCpus: 0.5,
      entrypointNumGpus: 0,
      entrypointResources: { custom: 2 },
    });
    expect(JSON.parse(head.requests[1]?.body ?? '')).toEqual({
      entrypoint: 'x',
      submission_id: 'k',
      runtime_env: { pip: ['a'] },
      metadata: { a: 'b' },
      entrypoint_num_cpus: 0.5,
      entrypoint_resources: { custom: 2 },
    });
  });

  test('an id that the head already has is success', async () => {
    const request = { entrypoint: 'x', submissionId: 'j' };
    expect(await client.submitJob(request)).toEqual({ kind: 'submit', submissionId: 'j', alreadyExisted: false });
    expect(await client.submitJob(request)).toEqual({ kind: 'submit', submissionId: 'j', alreadyExisted: true });
    expect(head.executions).toHaveLength(1);
  });

  test('a refusal says why, without the way to it', async () => {
    wrong(
      500,
      'Traceback (most recent call last):\n  File "x.py"\nRuntimeError: Request failed: Traceback\n  more\nValueError: no such pip\n.\n',
    );
    await expect(client.submitJob({ entrypoint: 'x', submissionId: 'j' })).rejects.toMatchObject({
      message: 'SubmitJob fail: 500 Internal Server Error ValueError: no such pip',
      failure: 'status',
      status: 500,
      didNothing: false,
    });
  });
});

describe('jobs', () => {
  test('are read in full', async () => {
    head.setJob('j', {
      status: 'FAILED',
      message: 'boom',
      start_time: 5,
      end_time: 9,
      error_type: 'E',
      driver_exit_code: 3,
      metadata: { a: 'b' },
    });
    expect(await client.getJob('j')).toMatchObject({
      status: 'FAILED',
      message: 'boom',
      startTime: 5,
      endTime: 9,
      submissionId: 'j',
      errorType: 'E',
      driverExitCode: 3,
      metadata: { a: 'b' },
    });
    expect(await client.listJobs()).toHaveLength(1);
  });

  test('with nothing but a status are jobs, too', async () => {
    wrong(200, '{"status":"PAUSED"}');
    expect(await client.getJob('j')).toMatchObject({ status: 'PAUSED', message: '', startTime: 0, endTime: 0 });
  });

  test('are what their status says, whatever the rest looks like', async () => {
    wrong(200, '{"status":"SUCCEEDED","message":5,"start_time":"soon","end_time":null,"metadata":{"a":1}}');
    expect(await client.getJob('j')).toMatchObject({ status: 'SUCCEEDED', message: '', startTime: 0, endTime: 0 });
  });

  test.each([
    ['in nanoseconds', 1_760_000_000_000_000_000],
    ['in microseconds, which is the year 57742', 1_760_000_000_000_000],
    ['before there was time', -5],
    ['beyond all numbers', '1e999'],
  ])('whose times are %s have none, and are what their status says', async (_, time) => {
    wrong(200, `{"status":"SUCCEEDED","start_time":${time},"end_time":${time}}`);
    expect(await client.getJob('j')).toMatchObject({ status: 'SUCCEEDED', startTime: 0, endTime: 0 });
  });

  test('whose message would not fit into an object of the API server tell its beginning', async () => {
    wrong(200, JSON.stringify({ status: 'FAILED', message: 'x'.repeat(5_000_000) }));
    expect((await client.getJob('j'))?.message).toBe(`${'x'.repeat(32_000)}…`);
  });

  test('whose status is a story are none', async () => {
    wrong(200, JSON.stringify({ status: 'once upon a time '.repeat(1000) }));
    await expect(client.getJob('j')).rejects.toThrow('has no status of a job');
  });

  test('that are not there are undefined', async () => {
    expect(await client.getJob('a/b c')).toBeUndefined();
    expect(last()).toBe('GET /api/jobs/a%2Fb%20c');
    expect(await client.getJobLogs('x')).toBeUndefined();
  });

  test('print logs', async () => {
    head.setJob('j', { logs: 'hello\n' });
    expect(await client.getJobLogs('j')).toBe('hello\n');
  });

  test('are stopped once; those that ended, or are unknown, need no stopping', async () => {
    head.setJob('j', { status: 'RUNNING' });
    expect(await client.stopJob('j')).toEqual({ kind: 'stop', wasRunning: true });
    expect(last()).toBe('POST /api/jobs/j/stop');
    expect(await client.stopJob('j')).toEqual({ kind: 'stop', wasRunning: false });
    expect(await client.stopJob('other')).toEqual({ kind: 'stop', wasRunning: false });
    expect(await client.stopJob('')).toEqual({ kind: 'stop', wasRunning: false });
    expect(last()).toBe('POST /api/jobs//stop');
  });

  test('that go on although they were to stop are an error', async () => {
    head.setJob('j', { status: 'RUNNING' });
    head.moodFor = ({ path }) => (path.endsWith('/stop') ? { kind: 'wrong', body: '{"stopped":false}' } : undefined);
    await expect(client.stopJob('j')).rejects.toMatchObject({
      failure: 'refused',
      message: 'StopJob fail: POST http://head:8265/api/jobs/j/stop left the job as it is: it is still RUNNING',
    });
  });

  test('are deleted when they have ended', async () => {
    head.setJob('j', { status: 'RUNNING' });
    await expect(client.deleteJob('j')).rejects.toThrow(
      "DeleteJob fail: 500 Internal Server Error RuntimeError: Attempted to delete job 'j', but it is in a non-terminal state RUNNING.",
    );
    head.setJob('j', { status: 'STOPPED' });
    expect(await client.deleteJob('j')).toEqual({ kind: 'delete', existed: true });
    expect(await client.deleteJob('j')).toEqual({ kind: 'delete', existed: false });
  });
});

describe('Serve', () => {
  test('applications are read with their deployments', async () => {
    head.targetCapacity = 40;
    head.applications.set('app', { status: 'DEPLOYING', message: 'm', deployments: { D: 'UPDATING' } });
    expect(await client.getServe()).toMatchObject({
      targetCapacity: 40,
      applications: {
        app: { status: 'DEPLOYING', message: 'm', deployments: { D: { status: 'UPDATING', message: '' } } },
      },
      proxies: { a1: { status: 'HEALTHY', nodeIp: '10.0.0.1' } },
    });
    expect(last()).toBe('GET /api/serve/applications/?api_type=declarative');
  });

  test('applications are what their status says, whatever the rest looks like', async () => {
    wrong(200, '{"applications":{"a":{"status":"RUNNING","message":5,"deployments":[]}}}');
    const app = { status: 'RUNNING', message: '', deployments: {} };
    expect((await client.getServe()).applications).toMatchObject({ a: app });
  });

  test('counts only replicas that take requests, and none where the head lists no replicas', async () => {
    const states = ['STARTING', 'UPDATING', 'RECOVERING', 'RUNNING', 'STOPPING', 'STOPPED', 'PENDING_MIGRATION'];
    const replicas = [...states.map((state) => ({ replica_id: state, state })), null, 'RUNNING', { state: 7 }];
    const deployments = { D: { status: 'UNHEALTHY', replicas }, E: { status: 'UNHEALTHY' } };
    wrong(200, JSON.stringify({ applications: { a: { status: 'DEPLOY_FAILED', deployments } } }));
    const read = (await client.getServe()).applications['a']?.deployments;
    expect(read?.['D']?.servingReplicas).toBe(2);
    expect(read?.['E']?.servingReplicas).toBeUndefined();
  });

  test('applications that are no mapping are an error, and not none', async () => {
    wrong(200, '{"applications":[]}');
    await expect(client.getServe()).rejects.toThrow('has applications that are no mapping');
    wrong(200, '{"applications":null}');
    expect(await client.getServe()).toMatchObject({ applications: {} });
  });

  test('takes a whole configuration', async () => {
    expect(await client.putServe({ applications: [{ name: 'app', import_path: 'a:b' }] })).toEqual({
      kind: 'put-serve',
    });
    expect(last()).toBe('PUT /api/serve/applications/ {"applications":[{"name":"app","import_path":"a:b"}]}');
    wrong(500, 'bad config');
    await expect(client.putServe({})).rejects.toThrow('UpdateDeployments fail: 500 Internal Server Error bad config');
  });

  test('proxies are well with a 200 only', async () => {
    expect(await client.isProxyHealthy('http://10.0.0.7:8000')).toBe(true);
    head.isProxyHealthy = false;
    expect(await client.isProxyHealthy('http://10.0.0.7:8000')).toBe(false);
    expect(last()).toBe('GET /-/healthz');
  });
});

describe('the head', () => {
  test('lists its nodes, the dead ones, too', async () => {
    head.nodes = [
      { node_id: 'a', node_ip: '10.0.0.1', is_head_node: true, state: 'ALIVE', node_name: 'h', labels: { x: 'y' } },
      { node_id: 'b', node_ip: '10.0.0.2', is_head_node: false, state: 'DEAD' },
    ];
    expect(await client.listNodes()).toEqual([
      { id: 'a', ip: '10.0.0.1', isHead: true, isAlive: true, name: 'h', stateMessage: undefined, labels: { x: 'y' } },
      { id: 'b', ip: '10.0.0.2', isHead: false, isAlive: false, name: '10.0.0.2', stateMessage: undefined, labels: {} },
    ]);
  });

  test('an answer without nodes is an error, not an empty cluster', async () => {
    wrong(200, '{}');
    await expect(client.listNodes()).rejects.toMatchObject({ failure: 'unreadable' });
  });

  test('tells its version and its session', async () => {
    expect(await client.getVersion()).toEqual({
      rayVersion: '2.60.0',
      rayCommit: 'c0ffee',
      sessionName: 'session_life_1',
    });
  });

  test('tells whether its control store is well', async () => {
    expect(await client.isGcsHealthy()).toBe(true);
    wrong(200, 'failure');
    expect(await client.isGcsHealthy()).toBe(false);
  });

  test('gets the token in the header that Ray reads', async () => {
    head = new FakeHead({ now: () => clock.now(), token: 'secret' });
    await expect(connect().getVersion()).rejects.toMatchObject({ status: 401, didNothing: true });
    expect(await connect('secret').getVersion()).toMatchObject({ rayVersion: '2.60.0' });
    expect(head.requests.at(-1)?.headers).toMatchObject({
      'x-ray-authorization': 'Bearer secret',
      'user-agent': 'manta',
    });
  });
});

describe('errors', () => {
  test('show the beginning of a long body only', async () => {
    wrong(500, 'x'.repeat(10_000));
    const error = await client.getServe().catch((reason: Error) => reason);
    expect(error).toHaveProperty(
      'message',
      `GetServeDetails fail: 500 Internal Server Error ${'x'.repeat(2_000)}… (8000 more characters)`,
    );
  });

  test('read no more than 64 KiB of an error that goes on for ever', async () => {
    head.mood = { kind: 'wrong', status: 500, bytes: 1e15 };
    await expect(client.getServe()).rejects.toMatchObject({ status: 500 });
  });

  test('name the time that was given', async () => {
    head.mood = { kind: 'hanging' };
    const failed = client.putServe({}).catch((reason: Error) => reason);
    await clock.advance(30_000);
    expect(await failed).toMatchObject({
      failure: 'timeout',
      message: 'UpdateDeployments fail: PUT http://head:8265/api/serve/applications/ was not answered within 30 s',
    });
    expect(clock.pending).toBe(0);
  });

  test('a call that is given up ends at once', async () => {
    head.mood = { kind: 'hanging' };
    const abort = new AbortController();
    const patient = createRayClient({
      clock,
      send: fakeSend(clock, () => head),
      head: { url: 'http://head:8265' },
      signal: abort.signal,
    });
    const call = patient.getVersion();
    abort.abort(new Error('enough'));
    await expect(call).rejects.toThrow('came to nothing (enough)');
    expect(clock.pending).toBe(0);
  });
});
