import { createHttpSend, createRayClient } from '@manta/ray';
import { FakeHead, serveFakeHead, type ServedHead } from '@manta/ray/testing';
import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runSubmitter } from './run-submitter.ts';
import { tailOverWebSocket } from './tail-logs.ts';

const TOKEN = 'secret';
let head: FakeHead;
let served: ServedHead;
let clock: FakeClock;
let out: string;
let err: string;

beforeEach(async () => {
  head = new FakeHead({ now: () => 0, token: TOKEN });
  head.onSubmit = 'RUNNING';
  served = await serveFakeHead(head);
  clock = new FakeClock();
  out = '';
  err = '';
});
afterEach(() => served.close());

/** Runs on the head's real sockets; only waiting is up to the test. */
async function submit(): Promise<number> {
  const http = createHttpSend();
  const target = { url: served.url, token: TOKEN };
  const running = runSubmitter(
    { head: target, request: { entrypoint: 'python app.py', submissionId: 'job-1' } },
    {
      client: createRayClient({ clock, send: http.send, head: target, commandTimeoutMs: 5_000 }),
      tail: tailOverWebSocket(target),
      clock,
      print: (text) => {
        out += text;
      },
      say: (line) => {
        out += `${line}\n`;
      },
      complain: (line) => {
        err += `${line}\n`;
      },
    },
  );
  return running.finally(() => http.close());
}

const printing = (logs: string) => vi.waitFor(() => expect(out).toContain(logs));
const submitted = () => vi.waitFor(() => expect(head.jobs.has('job-1')).toBe(true));

describe('the light-weight submitter', () => {
  it('submits, follows the output and tells of success', async () => {
    const code = submit();
    await submitted();
    head.setJob('job-1', { logs: 'hello\n' });
    await printing('hello\n');
    head.setJob('job-1', { logs: 'hello\nbye\n', status: 'SUCCEEDED' });
    expect(await code).toBe(0);
    expect(out).toBe(
      "SUCC -- Job 'job-1' submitted successfully\nINFO -- Tailing logs until the job finishes:\nhello\nbye\nSUCC -- Job 'job-1' succeeded\n",
    );
    expect(err).toBe('');
    expect(JSON.parse(head.requests[0]?.body ?? '')).toEqual({ entrypoint: 'python app.py', submission_id: 'job-1' });
  });

  it('does not submit a second time when it is started again', async () => {
    head.setJob('job-1', { status: 'SUCCEEDED', logs: 'done\n' });
    expect(await submit()).toBe(0);
    expect(out).toBe(
      "INFO -- Job 'job-1' has already been submitted, tailing logs.\nINFO -- Tailing logs until the job finishes:\ndone\nSUCC -- Job 'job-1' succeeded\n",
    );
    expect(head.executions).toEqual([]);
  });

  it('does not call a failed job a success, and does not ask to be started again for it', async () => {
    head.setJob('job-1', { status: 'FAILED', message: 'exit code 1' });
    expect(await submit()).toBe(0);
    expect(out).not.toContain('succeeded');
    expect(err).toBe("FAIL -- Job 'job-1' failed: exit code 1\n");
  });

  it('says why a head refuses a job', async () => {
    head.moodFor = ({ method }) =>
      method === 'POST' ? { kind: 'wrong', status: 400, body: 'no such env' } : undefined;
    expect(await submit()).toBe(1);
    expect(err).toMatch(/^ERROR -- {2}.*400.*no such env/);
  });

  it('tries again while no answer comes, and the job is begun once', async () => {
    let tries = 0;
    head.moodFor = ({ method }) => (method === 'POST' && tries++ < 2 ? { kind: 'lost' } : undefined);
    const code = submit();
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(out).toContain('already been submitted');
    });
    head.setJob('job-1', { status: 'SUCCEEDED' });
    expect(await code).toBe(0);
    expect(head.executions).toHaveLength(1);
  });

  it('ends without a second run when a new head does not know the job', async () => {
    const code = submit();
    await submitted();
    await printing('Tailing logs');
    head.restart();
    expect(await code).toBe(0);
    expect(err).toContain("Ray does not know job 'job-1' any more");
    expect(head.executions).toHaveLength(1);
  });
});
