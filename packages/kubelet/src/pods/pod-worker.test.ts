import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PodUnderTest, SECOND, tool } from './testing/pod-under-test.ts';

let t: PodUnderTest;
beforeEach(() => {
  t = new PodUnderTest();
});
afterEach(() => t.close());

describe('a pod that is stopped', () => {
  it('ends its containers, then its sandbox, and takes its folder with it', async () => {
    await t.up();
    await t.worker.stop();
    await t.run;
    expect(t.happened).toEqual(['create', 'start main', 'SIGTERM main', 'destroy']);
    expect(t.isThere).toBe(false);
  });

  it('while its sandbox is being made starts nothing and leaves nothing', async () => {
    t.begin();
    await t.clock.settle();
    await t.worker.stop();
    t.made.resolve();
    await t.run;
    expect([t.log, t.isThere]).toEqual([['create', 'destroy'], false]);
  });

  it('is stopped even when its supervisor has ended', async () => {
    t.sandbox.destroy = () => Promise.reject(new Error('the pod supervisor has ended'));
    await t.up();
    await expect(t.worker.stop()).resolves.toBeUndefined();
    await t.run;
    expect(t.isThere).toBe(false);
  });

  it.each<[string, number | undefined, number | undefined, number]>([
    ['30 seconds', undefined, undefined, 30],
    ['as long as it says', 7, undefined, 7],
    ['as long as whoever deletes it says', 7, 3, 3],
  ])('has %s for that', async (_, terminationGracePeriodSeconds, asked, seconds) => {
    t.sandbox.deaf.add('main');
    await t.up(terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds });
    const stopped = t.worker.stop(asked);
    await t.clock.advance(seconds * SECOND - 1);
    expect(t.happened.at(-1)).toBe('SIGTERM main');
    await t.clock.advance(1);
    expect(t.happened.slice(-2)).toEqual(['SIGKILL main', 'destroy']);
    await stopped;
  });

  it('has less time when it is deleted once more with less', async () => {
    t.sandbox.deaf.add('main');
    await t.up();
    const stopped = t.worker.stop(30);
    await t.clock.advance(SECOND);
    void t.worker.stop(1);
    await t.clock.advance(SECOND);
    expect(t.happened.slice(-2)).toEqual(['SIGKILL main', 'destroy']);
    await stopped;
  });
});

describe('a pod whose sandbox cannot be made', () => {
  it('says why, and is tried again until it can', async () => {
    t.refusals = 2;
    await t.up();
    expect(t.status()).toMatchObject({ phase: 'Pending', message: 'no address is free' });
    expect(t.conditions()).toMatchObject({ PodReadyToStartContainers: 'False' });
    await t.clock.advance(250);
    await t.clock.advance(499);
    expect(t.log).not.toContain('Normal Started');
    await t.clock.advance(1);
    expect(t.log.slice(0, 3)).toEqual(['create', 'Warning FailedCreatePodSandBox', 'create']);
    expect(t.log).toContain('Normal Started');
    expect(t.worker.status(t.pod).message).toBeUndefined();
  });

  it('is tried no more when it is stopped', async () => {
    t.refusals = 100;
    await t.up();
    await t.worker.stop();
    await t.run;
    expect([t.log, t.isThere]).toEqual([['create', 'Warning FailedCreatePodSandBox'], false]);
  });
});

describe('the containers of a pod', () => {
  it('begin in their order, each when the hook of the one before it is done', async () => {
    const hook = Promise.withResolvers<number>();
    t.sandbox.commands.set('warm up', hook.promise);
    const first = tool('first', { lifecycle: { postStart: { exec: { command: ['warm', 'up'] } } } });
    await t.up({ containers: [first, tool('second')] });
    expect(t.happened).toEqual(['create', 'start first', 'warm up in first']);
    hook.resolve(0);
    await t.clock.settle();
    expect(t.happened.at(-1)).toBe('start second');
  });

  it('begin also when the one before them cannot', async () => {
    const unset = { name: 'X', valueFrom: { configMapKeyRef: { name: 'no', key: 'k' } } };
    await t.up({ containers: [tool('first', { env: [unset] }), tool('second')] });
    expect(t.happened).toEqual(['create', 'start second']);
    expect(t.container('first')?.state).toEqual({
      waiting: { reason: 'CreateContainerConfigError', message: 'configmap "no" not found' },
    });
    t.configMap = { k: 'v' };
    await t.clock.advance(2 * SECOND);
    expect(t.sandbox.started.map(({ name }) => name)).toEqual(['second', 'first']);
  });

  it('without a command say that they have none', async () => {
    const { command: _, ...silent } = tool('main');
    await t.up({ containers: [silent] });
    const message = 'container main has no command, and none is known of its image';
    expect(t.container('main')?.state).toEqual({ waiting: { reason: 'CreateContainerError', message } });
  });

  it('are started with their words expanded, in their t.folder, with a file for their message', async () => {
    const main = tool('main', {
      command: ['echo', '$(WHO)', '$$(WHO)', '$(NOBODY)'],
      args: ['$(GREETING)'],
      env: [
        { name: 'WHO', value: 'world' },
        { name: 'GREETING', value: 'hello $(WHO)' },
      ],
      workingDir: '/work',
      terminationMessagePath: '/tmp/last',
    });
    await t.up({ containers: [main] });
    const [started] = t.sandbox.started;
    expect(started?.command).toEqual(['echo', 'world', '$(WHO)', '$(NOBODY)', 'hello world']);
    expect(started?.workingDir).toBe('/work');
    const file = join(t.folder, 'uid-1', 'logs', 'main.0.message');
    expect(started?.mounts).toEqual([{ kind: 'bind', source: file, target: '/tmp/last', isReadOnly: false }]);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  it('leave the output of their last two runs, and no more', async () => {
    await t.up();
    for (const wait of [0, 10, 20]) {
      t.sandbox.end('main', 1);
      await t.clock.advance(wait * SECOND);
    }
    const logs = [0, 1, 2, 3].map((attempt) => existsSync(join(t.folder, 'uid-1', 'logs', `main.${attempt}.log`)));
    expect(logs).toEqual([false, false, true, true]);
  });
});

describe('a pod that has ended by itself', () => {
  it('gives its sandbox back and keeps what it said, until it is deleted', async () => {
    await t.up({ restartPolicy: 'Never' });
    expect(t.worker.sandbox).toBe(t.sandbox);
    t.sandbox.end('main', 0);
    await t.run;
    expect(t.happened.slice(-2)).toEqual(['main ends with 0', 'destroy']);
    expect(t.worker.sandbox).toBeUndefined();
    expect(t.status()).toMatchObject({ phase: 'Succeeded', podIP: '10.244.0.2' });
    expect(existsSync(t.worker.container('main')?.output(false) ?? '')).toBe(true);
    await t.worker.stop();
    expect(t.isThere).toBe(false);
  });
});

describe('the conditions of a pod', () => {
  it('follow it from its node to its end, each with the time of its last change', async () => {
    const readinessProbe = { exec: { command: ['ready'] }, failureThreshold: 1, periodSeconds: 0.001 };
    t.sandbox.commands.set('ready', 1);
    t.begin({ restartPolicy: 'Never', containers: [tool('main', { readinessProbe })] });
    await t.clock.settle();
    const all = { PodScheduled: 'True', Initialized: 'True' };
    const waits = { ...all, ContainersReady: 'False', Ready: 'False' };
    expect(t.conditions()).toEqual({ ...waits, PodReadyToStartContainers: 'False' });
    await t.clock.advance(SECOND);
    t.made.resolve();
    await t.clock.settle();
    expect(t.conditions()).toEqual({ ...waits, PodReadyToStartContainers: 'True' });
    expect(t.status().conditions?.find(({ type }) => type === 'ContainersReady')).toMatchObject({
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [main]',
    });
    await t.clock.advance(SECOND);
    t.sandbox.commands.set('ready', 0);
    await expect
      .poll(() => t.conditions())
      .toEqual({ ...all, PodReadyToStartContainers: 'True', ContainersReady: 'True', Ready: 'True' });
    await t.clock.advance(SECOND);
    t.sandbox.end('main', 0);
    await t.run;
    expect(t.conditions()).toEqual({ ...waits, PodReadyToStartContainers: 'False' });
    const since = Object.fromEntries((t.status().conditions ?? []).map((each) => [each.type, each.lastTransitionTime]));
    expect(since).toMatchObject({
      PodScheduled: '2026-01-01T00:00:00Z',
      Initialized: '2026-01-01T00:00:00Z',
      Ready: '2026-01-01T00:00:03Z',
      PodReadyToStartContainers: '2026-01-01T00:00:03Z',
    });
  });
});

describe('a pod that may be active for so long only', () => {
  it('is ended for good when its time is over, with its grace period', async () => {
    t.sandbox.deaf.add('main');
    await t.up({ activeDeadlineSeconds: 60, terminationGracePeriodSeconds: 5 });
    await t.clock.advance(60 * SECOND - 1);
    expect(t.happened.at(-1)).toBe('start main');
    await t.clock.advance(1);
    expect(t.happened.at(-1)).toBe('SIGTERM main');
    expect(t.status()).toMatchObject({ phase: 'Running' });
    await t.clock.advance(5 * SECOND);
    await t.run;
    expect(t.happened.slice(-2)).toEqual(['SIGKILL main', 'destroy']);
    const message = 'Pod was active on the node longer than the specified deadline';
    expect(t.status()).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded', message });
    expect(t.log).toContain('Normal DeadlineExceeded');
  });

  it('counts from when it first came to its node', async () => {
    t.pod = { ...t.pod, status: { startTime: '2025-12-31T23:59:30Z' } };
    await t.up({ activeDeadlineSeconds: 60 });
    await t.clock.advance(30 * SECOND);
    expect(t.happened.at(-1)).toBe('destroy');
  });

  it('may end before, and nothing waits any more', async () => {
    await t.up({ activeDeadlineSeconds: 60, restartPolicy: 'Never' });
    t.sandbox.end('main', 0);
    await t.run;
    await t.clock.advance(0);
    expect(t.status()).toMatchObject({ phase: 'Succeeded' });
    await t.clock.advance(60 * SECOND);
    expect(t.log).not.toContain('Normal DeadlineExceeded');
  });
});
