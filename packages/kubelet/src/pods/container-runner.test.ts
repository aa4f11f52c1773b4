import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container } from '@manta/api';
import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RestartPolicy } from './container-state.ts';
import { ContainerConfigError, VolumeError } from './config-error.ts';
import { ContainerRunner } from './container-runner.ts';
import type { ImageAnswer } from '../environment/images.ts';
import { FakeSandbox } from './testing/fake-sandbox.ts';

const KNOWN: ImageAnswer = { kind: 'known', env: {} };
const SECOND = 1000;

let folder: string;
let clock: FakeClock;
/** What happens in the container, what users are told of it, and what it waits for. */
let log: string[];
let sandbox: FakeSandbox;
let runner: ContainerRunner;
let run: Promise<void>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-runner-'));
  clock = new FakeClock();
  log = [];
  sandbox = new FakeSandbox(log);
});
afterEach(async () => {
  await runner.stop(0);
  await run;
  rmSync(folder, { recursive: true, force: true });
});

interface Circumstances {
  readonly policy?: RestartPolicy;
  readonly image?: () => ImageAnswer;
  readonly problems?: Error[];
  readonly hasRunOut?: boolean;
}

const file = (kind: string, attempt: number) => join(folder, `${attempt}.${kind}`);

async function start(container: Partial<Container> = {}, circumstances: Circumstances = {}): Promise<void> {
  const { policy = 'Always', image = () => KNOWN, problems = [], hasRunOut = false } = circumstances;
  runner = new ContainerRunner({ name: 'main', image: 'rayproject/ray:2.53.0', ...container }, policy, {
    sandbox,
    clock,
    podName: 'p_default(u1)',
    graceMs: 30 * SECOND,
    request: async ({ name }, attempt) => {
      const problem = problems.shift();
      if (problem !== undefined) throw problem;
      const files = { output: file('log', attempt), messageFile: file('message', attempt) };
      return { name, command: ['true'], env: {}, mounts: [], shmBytes: 0, ...files };
    },
    image,
    hasRunOut: () => hasRunOut,
    changed: () => {
      const { moment } = runner.view();
      if (moment.state === 'waiting') log.push(`${moment.reason}: ${moment.message}`);
    },
    tell: (severity, reason, message) => void log.push(`${severity} ${reason}: ${message}`),
  });
  run = runner.run();
  await clock.settle();
}

const STARTED = ['start main', 'Normal Started: Started container main'];
const KILLING = 'Normal Killing: Stopping container main';

describe('a container whose image is being installed', () => {
  const IMAGE = '"rayproject/ray:2.53.0"';
  const WAITING = [
    `Normal Pulling: Pulling image ${IMAGE}: Ray 2.53.0 is being installed`,
    'ContainerCreating: Ray 2.53.0 is being installed from PyPI; this takes a minute or more',
  ];
  const installing = (done: Promise<void>): ImageAnswer => ({ kind: 'installing', what: 'Ray 2.53.0', done });

  it('waits for it, says what it waits for, and then runs', async () => {
    let isThere = false;
    const done = Promise.withResolvers<void>();
    await start({}, { image: () => (isThere ? KNOWN : installing(done.promise)) });
    expect(log).toEqual(WAITING);
    isThere = true;
    done.resolve();
    await clock.settle();
    const pulled = `Normal Pulled: Successfully pulled image ${IMAGE}: Ray 2.53.0 is installed`;
    expect(log).toEqual([...WAITING, pulled, ...STARTED]);
  });

  it('says why it cannot be had, and tries again, ever more seldom', async () => {
    const failing = () => installing(Promise.reject(new Error('no package index answers')));
    const answers = [failing, failing];
    await start({}, { image: () => answers.shift()?.() ?? KNOWN });
    const failed = [
      `Warning Failed: Failed to pull image ${IMAGE}: no package index answers`,
      'ErrImagePull: no package index answers',
    ];
    await clock.advance(10 * SECOND);
    expect(log).toEqual([...WAITING, ...failed, ...WAITING, ...failed]);
    await clock.advance(20 * SECOND - 1);
    expect(log.slice(8)).toEqual([]);
    await clock.advance(1);
    expect(log.slice(8)).toEqual(STARTED);
  });

  it('does not outlast the pod', async () => {
    await start({}, { image: () => installing(new Promise(() => {})) });
    await runner.stop(0);
    await run;
    expect(log).toEqual(WAITING);
  });
});

describe('a container that cannot be made', () => {
  it.each<[string, Error, readonly string[]]>([
    [
      'a variable',
      new ContainerConfigError('secret "s" not found'),
      ['Warning Failed: Error: secret "s" not found', 'CreateContainerConfigError: secret "s" not found'],
    ],
    [
      'a volume',
      new VolumeError('v', 'configmap "c" not found'),
      [
        'Warning FailedMount: MountVolume.SetUp failed for volume "v" : configmap "c" not found',
        'ContainerCreating: configmap "c" not found',
      ],
    ],
    ['anything else', new Error('ENOSPC'), ['Warning Failed: Error: ENOSPC', 'CreateContainerError: ENOSPC']],
  ])('for want of %s says so once, and is tried again until it can', async (_, problem, said) => {
    await start({}, { problems: [problem, problem] });
    await clock.advance(2 * SECOND);
    expect(log).toEqual([...said, said[1]]);
    await clock.advance(2 * SECOND);
    expect(log.slice(3)).toEqual(STARTED);
  });
});

describe('a container that ends', () => {
  /** Ends it after a while; how long it then takes until it runs again. */
  async function gapAfter(runMs: number, code = 1): Promise<number> {
    await clock.advance(runMs);
    const before = sandbox.started.length;
    const endMs = clock.now();
    sandbox.end('main', code);
    await clock.settle();
    for (let second = 0; sandbox.started.length === before && second <= 300; second += 1) await clock.advance(SECOND);
    return (clock.now() - endMs) / SECOND;
  }

  it('is started again at once, then after 10 s, and after twice as long each time up to 5 minutes', async () => {
    await start();
    const gaps: number[] = [];
    for (let crash = 0; crash < 8; crash += 1) gaps.push(await gapAfter(SECOND));
    expect(gaps).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('is forgiven what was before a run of more than ten minutes', async () => {
    await start();
    for (let crash = 0; crash < 3; crash += 1) await gapAfter(SECOND);
    expect(await gapAfter(600 * SECOND)).toBe(40);
    expect(await gapAfter(601 * SECOND)).toBe(0);
    expect(await gapAfter(SECOND)).toBe(10);
  });

  it('waits for its restart with the words of a kubelet, and with its last end', async () => {
    await start();
    await gapAfter(SECOND);
    for (const code of [2, 3, 4]) {
      sandbox.end('main', code);
      await clock.settle();
      if (code < 4) await clock.advance(100 * SECOND);
    }
    const back = 'Warning BackOff: Back-off restarting failed container main in pod p_default(u1)';
    const waits = log.filter((line) => line.startsWith('CrashLoopBackOff'));
    expect(log.filter((line) => line === back)).toHaveLength(3);
    expect(waits).toEqual(
      ['10s', '20s', '40s'].map(
        (wait) => `CrashLoopBackOff: back-off ${wait} restarting failed container=main pod=p_default(u1)`,
      ),
    );
    expect(runner.view()).toMatchObject({ attempt: 4, last: { code: 4 }, moment: { reason: 'CrashLoopBackOff' } });
  });

  it.each<[RestartPolicy, number, boolean]>([
    ['Always', 0, true],
    ['Always', 1, true],
    ['OnFailure', 0, false],
    ['OnFailure', 1, true],
    ['Never', 0, false],
    ['Never', 1, false],
  ])('with the policy %s and the code %s is started again: %s', async (policy, code, isAgain) => {
    await start({}, { policy });
    sandbox.end('main', code);
    await clock.settle();
    expect(sandbox.started).toHaveLength(isAgain ? 2 : 1);
    expect(runner.view().moment).toMatchObject(isAgain ? { state: 'running' } : { state: 'ended', code });
  });

  it('keeps what its last run said, also while it waits for the next', async () => {
    await start();
    expect(runner.output(true)).toBe('');
    await gapAfter(SECOND);
    expect([runner.output(false), runner.output(true)]).toEqual([file('log', 1), file('log', 0)]);
    sandbox.end('main', 1);
    await clock.settle();
    expect([runner.output(false), runner.output(true)]).toEqual([file('log', 1), file('log', 1)]);
  });

  it.each<[string, Partial<Container>, number, string | undefined]>([
    ['what it wrote for that', {}, 0, 'my message'],
    ['what it wrote for that, after a failure too', {}, 1, 'my message'],
  ])('leaves %s', async (_, container, code, message) => {
    await start(container, { policy: 'Never' });
    writeFileSync(file('message', 0), 'my message');
    sandbox.end('main', code);
    await run;
    expect(runner.view().moment).toMatchObject({ state: 'ended', code, message });
  });

  it.each<[string, 'File' | 'FallbackToLogsOnError', number, string | undefined]>([
    ['nothing where it wrote nothing', 'File', 1, undefined],
    ['its last output after a failure, where that was asked for', 'FallbackToLogsOnError', 1, 'last words\n'],
    ['nothing after a success, whatever was asked for', 'FallbackToLogsOnError', 0, undefined],
  ])('leaves %s', async (_, terminationMessagePolicy, code, message) => {
    await start({ terminationMessagePolicy }, { policy: 'Never' });
    appendFileSync(file('log', 0), 'last words\n');
    sandbox.end('main', code);
    await run;
    expect(runner.view().moment).toEqual({
      state: 'ended',
      code,
      startMs: expect.any(Number),
      endMs: expect.any(Number),
      ...(message === undefined ? {} : { message }),
    });
  });

  it.each([
    [137, true, { code: 137, reason: 'OOMKilled' }],
    [1, true, { code: 137, reason: 'OOMKilled' }],
    [137, false, { code: 137 }],
    [2, true, { code: 2 }],
  ])('with the code %s, its memory used up: %s, is told as %o', async (code, hasRunOut, expected) => {
    await start({}, { policy: 'Never', hasRunOut });
    sandbox.end('main', code);
    await run;
    const { startMs: _, endMs: __, state: ___, ...how } = runner.view().moment as { [key: string]: unknown };
    expect(how).toEqual(expected);
  });
});

const exec = (...command: readonly string[]) => ({ exec: { command } });

describe('a hook after the start', () => {
  const container = { lifecycle: { postStart: exec('warm', 'up') } };

  it('is done before the container counts as running', async () => {
    const hook = Promise.withResolvers<number>();
    sandbox.commands.set('warm up', hook.promise);
    await start(container);
    expect(log).toEqual([...STARTED, 'warm up in main']);
    expect(runner.view().moment).toEqual({ state: 'waiting', reason: 'ContainerCreating' });
    hook.resolve(0);
    await clock.settle();
    expect(runner.view().moment).toMatchObject({ state: 'running', isReady: true });
  });

  it('that fails ends the container, which is started again by its policy', async () => {
    sandbox.commands.set('warm up', 3);
    await start(container);
    expect(log.slice(0, 7)).toEqual([
      ...STARTED,
      'warm up in main',
      'Warning FailedPostStartHook: PostStartHook failed: command ended with 3',
      'Normal Killing: FailedPostStartHook',
      'SIGTERM main',
      'start main',
    ]);
    expect(runner.view().last).toMatchObject({ code: 143 });
  });

  it('has not failed when the container ends meanwhile', async () => {
    const hook = Promise.withResolvers<number>();
    sandbox.commands.set('warm up', hook.promise);
    await start(container, { policy: 'Never' });
    sandbox.end('main', 0);
    await run;
    hook.resolve(137);
    await clock.settle();
    expect(log).toEqual([...STARTED, 'warm up in main', 'main ends with 0']);
  });
});

describe('a container that is stopped', () => {
  const preStop = { lifecycle: { preStop: exec('say', 'bye') } };
  /** What happened since it was asked to stop. */
  const since = () => log.slice(log.indexOf(KILLING) + 1);

  it('is asked to, and forced when its grace period is over', async () => {
    sandbox.deaf.add('main');
    await start();
    const stopped = runner.stop(5 * SECOND);
    await clock.advance(5 * SECOND - 1);
    expect(since()).toEqual(['SIGTERM main']);
    await clock.advance(1);
    expect(since()).toEqual(['SIGTERM main', 'SIGKILL main']);
    await stopped;
    expect(runner.view().moment).toMatchObject({ state: 'ended', code: 137 });
    expect(clock.pending).toBe(0);
  });

  it('is not asked where it has no time', async () => {
    await start(preStop);
    await runner.stop(0);
    expect(since()).toEqual(['SIGKILL main']);
  });

  it('has less time when somebody asks again, never more', async () => {
    sandbox.deaf.add('main');
    await start();
    const stopped = runner.stop(30 * SECOND);
    await clock.advance(SECOND);
    void runner.stop(2 * SECOND);
    void runner.stop(100 * SECOND);
    await clock.advance(2 * SECOND - 1);
    expect(since()).toEqual(['SIGTERM main']);
    await clock.advance(1);
    expect(since()).toEqual(['SIGTERM main', 'SIGKILL main']);
    await stopped;
  });

  it('has its hook run before it is asked, within the same time', async () => {
    const hook = Promise.withResolvers<number>();
    sandbox.commands.set('say bye', hook.promise);
    sandbox.deaf.add('main');
    await start(preStop);
    const stopped = runner.stop(10 * SECOND);
    await clock.advance(6 * SECOND);
    expect(since()).toEqual(['say bye in main']);
    hook.resolve(0);
    await clock.advance(4 * SECOND - 1);
    expect(since()).toEqual(['say bye in main', 'SIGTERM main']);
    await clock.advance(1);
    expect(since()).toEqual(['say bye in main', 'SIGTERM main', 'SIGKILL main']);
    await stopped;
  });

  it('is asked all the same when its hook fails, which users are told', async () => {
    sandbox.commands.set('say bye', 4);
    await start(preStop);
    await runner.stop(10 * SECOND);
    expect(since()).toEqual([
      'say bye in main',
      'Warning FailedPreStopHook: PreStopHook failed: command ended with 4',
      'SIGTERM main',
    ]);
  });

  it('is given two more seconds when its hook takes all its time', async () => {
    sandbox.commands.set('say bye', new Promise(() => {}));
    sandbox.deaf.add('main');
    await start(preStop);
    const stopped = runner.stop(3 * SECOND);
    await clock.advance(3 * SECOND);
    expect(since()).toEqual(['say bye in main', 'SIGTERM main']);
    await clock.advance(2 * SECOND);
    expect(since()).toEqual(['say bye in main', 'SIGTERM main', 'SIGKILL main']);
    await stopped;
  });

  it('may simply wait a while first', async () => {
    await start({ lifecycle: { preStop: { sleep: { seconds: 4 } } } });
    const stopped = runner.stop(10 * SECOND);
    await clock.advance(4 * SECOND - 1);
    expect(since()).toEqual([]);
    await clock.advance(1);
    expect(since()).toEqual(['SIGTERM main']);
    await stopped;
  });

  it('is not started again', async () => {
    await start();
    await runner.stop(SECOND);
    await run;
    await clock.advance(1000 * SECOND);
    expect(sandbox.started).toHaveLength(1);
  });
});

describe('a container that is no longer alive', () => {
  it.each([
    ['the pod', {}, 30],
    ['its probe', { terminationGracePeriodSeconds: 7 }, 7],
  ])('is ended with its hook, in the time that %s gives, and started again', async (_, more, seconds) => {
    sandbox.commands.set('are you there', 1);
    sandbox.deaf.add('main');
    const livenessProbe = { ...exec('are', 'you', 'there'), failureThreshold: 1, ...more };
    await start({ livenessProbe, lifecycle: { preStop: exec('say', 'bye') } });
    expect(log.slice(-3)).toEqual([
      'Normal Killing: Container main failed liveness probe, will be restarted',
      'say bye in main',
      'SIGTERM main',
    ]);
    await clock.advance(seconds * SECOND - 1);
    expect(log.at(-1)).toBe('SIGTERM main');
    await clock.advance(1);
    expect(log).toContain('SIGKILL main');
    expect(sandbox.started).toHaveLength(2);
  });
});

describe('a container with a startup probe', () => {
  it('counts as started, and is asked whether it is ready, when that has succeeded', async () => {
    const probe = Promise.withResolvers<number>();
    sandbox.commands.set('are you up', probe.promise);
    await start({ startupProbe: { ...exec('are', 'you', 'up'), timeoutSeconds: 60 } });
    const hasStarted = () => Promise.race([runner.started.then(() => true), clock.settle().then(() => false)]);
    expect(runner.view().moment).toMatchObject({ state: 'running', isStarted: false, isReady: false });
    expect(await hasStarted()).toBe(false);
    probe.resolve(0);
    await clock.settle();
    expect(runner.view().moment).toMatchObject({ state: 'running', isStarted: true, isReady: true });
    expect(await hasStarted()).toBe(true);
  });
});
