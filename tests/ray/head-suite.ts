import { systemClock } from '@manta/kube';
import { createHttpSend, createRayClient, createRayPoller, followLogs, type JobInfo, type RayClient } from '@manta/ray';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** A head that the suite runs on. */
export interface SuiteHead {
  readonly url: string;
  readonly token: string;
  /** A Serve application that it can import, and where Serve's proxy is to listen. */
  readonly serve: { readonly importPath: string; readonly port: number };
  /** Where that proxy then answers. */
  readonly proxyUrl: string;
  stop(): Promise<void>;
}

const http = createHttpSend();
const patience = { timeout: 60_000, interval: 100 };

/** What a Ray head does for our client; the same for the real one and for the one that other tests are made with. */
export function describeHead(name: string, start: () => Promise<SuiteHead>): void {
  describe(`a Ray head, ${name}`, () => {
    let head: SuiteHead;
    let client: RayClient;
    beforeAll(async () => {
      head = await start();
      client = connect(head.url, head.token);
    }, 300_000);
    afterAll(async () => {
      http.close();
      await head.stop();
    }, 60_000);

    const ended = async (id: string): Promise<JobInfo | undefined> => {
      await expect.poll(async () => (await client.getJob(id))?.status, patience).toMatch(/SUCCEEDED|FAILED|STOPPED/);
      return await client.getJob(id);
    };
    const submit = (submissionId: string, entrypoint: string) => client.submitJob({ submissionId, entrypoint });

    test('tells its version, its session, and that it is well', async () => {
      expect(await client.getVersion()).toEqual({
        rayVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
        rayCommit: expect.any(String),
        sessionName: expect.stringMatching(/^session_/),
      });
      expect(await client.isGcsHealthy()).toBe(true);
    });

    test('has one node, which is the head', async () => {
      expect(await client.listNodes()).toMatchObject([
        { isHead: true, isAlive: true, id: expect.stringMatching(/^[0-9a-f]+$/) },
      ]);
    });

    test('lets nobody in without its token', async () => {
      await expect(connect(head.url).listJobs()).rejects.toMatchObject({
        failure: 'status',
        status: 401,
        didNothing: true,
      });
    });

    test('runs a job under the id that was given, and keeps what it printed', async () => {
      const before = Date.now();
      expect(await submit('first', 'echo hello; echo wörld')).toEqual({
        kind: 'submit',
        submissionId: 'first',
        alreadyExisted: false,
      });
      const job = await ended('first');
      expect(job).toMatchObject({ status: 'SUCCEEDED', submissionId: 'first', entrypoint: 'echo hello; echo wörld' });
      expect(job?.startTime).toBeGreaterThan(before - 60_000);
      expect(job?.endTime).toBeGreaterThanOrEqual(job?.startTime ?? Number.POSITIVE_INFINITY);
      expect(await client.getJobLogs('first')).toMatch(/^hello\n[^]*^wörld\n/m);
    });

    test('a second submit under the same id changes nothing', async () => {
      await submit('twice', 'echo one');
      expect(await submit('twice', 'echo two')).toMatchObject({ alreadyExisted: true });
      expect(await ended('twice')).toMatchObject({ entrypoint: 'echo one' });
      expect(await submit('twice', 'echo three')).toMatchObject({ alreadyExisted: true });
      expect((await client.listJobs()).filter((job) => job.submissionId === 'twice')).toHaveLength(1);
      expect(await client.getJobLogs('twice')).not.toMatch(/two|three/);
    });

    test('says that a job failed, and with which exit code', async () => {
      await submit('failing', 'echo oops; exit 3');
      expect(await ended('failing')).toMatchObject({
        status: 'FAILED',
        driverExitCode: 3,
        message: expect.stringContaining('failed with exit code 3'),
      });
    });

    test('stops a job that runs; one that has ended needs no stopping', async () => {
      await submit('long', 'echo begun; sleep 300');
      await expect.poll(async () => (await client.getJob('long'))?.status, patience).toBe('RUNNING');
      expect(await client.stopJob('long')).toEqual({ kind: 'stop', wasRunning: true });
      expect(await ended('long')).toMatchObject({ status: 'STOPPED' });
      expect(await client.stopJob('long')).toEqual({ kind: 'stop', wasRunning: false });
    });

    test('stops a job that has not begun', async () => {
      await submit('early', 'sleep 300');
      expect(await client.stopJob('early')).toEqual({ kind: 'stop', wasRunning: true });
      expect(await ended('early')).toMatchObject({ status: 'STOPPED' });
    });

    test('deletes a job only when it has ended', async () => {
      await submit('doomed', 'sleep 300');
      await expect(client.deleteJob('doomed')).rejects.toThrow(/non-terminal state/);
      await client.stopJob('doomed');
      await ended('doomed');
      expect(await client.deleteJob('doomed')).toEqual({ kind: 'delete', existed: true });
      expect(await client.getJob('doomed')).toBeUndefined();
    });

    test('knows nothing of a job that was never submitted', async () => {
      expect(await client.getJob('no-such')).toBeUndefined();
      expect(await client.getJobLogs('no-such')).toBeUndefined();
      expect(await client.stopJob('no-such')).toEqual({ kind: 'stop', wasRunning: false });
      expect(await client.deleteJob('no-such')).toEqual({ kind: 'delete', existed: false });
      await expect(followed(head, 'no-such')).rejects.toMatchObject({ failure: 'status', status: 404 });
    });

    test('keeps metadata and takes entrypoint resources', async () => {
      await client.submitJob({
        submissionId: 'rich',
        entrypoint: 'echo rich',
        metadata: { team: 'blue' },
        entrypointNumCpus: 1,
      });
      expect(await ended('rich')).toMatchObject({ status: 'SUCCEEDED', metadata: { team: 'blue' } });
    });

    test('lets logs be followed to their end, whatever the outcome', async () => {
      await submit('talking', 'echo one; sleep 1; echo two; exit 1');
      expect(await followed(head, 'talking')).toMatch(/^one\n[^]*^two\n/m);
      expect(await ended('talking')).toMatchObject({ status: 'FAILED' });
    });

    test('is followed by the poller from submission to outcome', async () => {
      const news: string[] = [];
      const poller = createRayPoller({
        clock: systemClock,
        random: Math.random,
        send: http.send,
        onNews: (owner) => news.push(owner),
      });
      const where = { url: head.url, token: head.token, session: '1' };
      const ask = () => poller.ask(where, { kind: 'job', id: 'polled' }, { owner: 'me', everyMs: 200 });
      ask();
      await expect.poll(ask, patience).toMatchObject({ kind: 'known', value: undefined });
      poller.perform(
        where,
        { kind: 'submit', request: { submissionId: 'polled', entrypoint: 'echo x' } },
        { owner: 'me', id: '1' },
      );
      await expect.poll(() => poller.results('me'), patience).toMatchObject([{ state: 'done' }]);
      const told = news.length;
      await expect.poll(ask, patience).toMatchObject({ kind: 'known', value: { status: 'SUCCEEDED' } });
      expect(news.length).toBeGreaterThan(told);
      poller.close();
    });

    test('refuses a Serve configuration that makes no sense, with the reason', async () => {
      await expect(client.putServe({ applications: [{ name: 'x' }] })).rejects.toThrow(
        /^UpdateDeployments fail: 400 Bad Request [^]*import_path[^]*Field required/,
      );
    });

    test('runs a Serve application, replaces it, and says how its proxy is', async () => {
      expect(await client.getServe()).toMatchObject({ applications: {} });
      const application = { name: 'app1', route_prefix: '/', import_path: head.serve.importPath };
      await client.putServe({ http_options: { port: head.serve.port }, applications: [application] });
      const statuses = async () =>
        Object.entries((await client.getServe()).applications).map(([key, app]) => [key, app.status]);
      await expect.poll(statuses, patience).toEqual([['app1', 'RUNNING']]);
      expect((await client.getServe()).applications['app1']?.deployedConfig).toEqual(application);
      await expect.poll(() => client.isProxyHealthy(head.proxyUrl).catch(() => false), patience).toBe(true);
      await client.putServe({
        http_options: { port: head.serve.port },
        applications: [{ ...application, name: 'app2' }],
      });
      await expect.poll(statuses, patience).toEqual([['app2', 'RUNNING']]);
    });
  });
}

function connect(url: string, token?: string): RayClient {
  return createRayClient({ clock: systemClock, send: http.send, head: { url, token }, questionTimeoutMs: 30_000 });
}

async function followed(head: SuiteHead, id: string): Promise<string> {
  const where = { url: head.url, token: head.token };
  let text = '';
  for await (const part of followLogs({ head: where, id, signal: AbortSignal.timeout(60_000) })) text += part;
  return text;
}
