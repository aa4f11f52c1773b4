import type { Container } from '@manta/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PodUnderTest, SECOND, tool } from './testing/pod-under-test.ts';

let t: PodUnderTest;
beforeEach(() => {
  t = new PodUnderTest();
});
afterEach(() => t.close());

describe('the init containers of a pod', () => {
  const initContainers = [tool('first'), tool('second')];

  it('run one after the other, and the others when the last has ended well', async () => {
    await t.up({ initContainers });
    expect(t.happened).toEqual(['create', 'start first']);
    expect(t.conditions()).toMatchObject({ PodReadyToStartContainers: 'True', Initialized: 'False', Ready: 'False' });
    expect(t.container('main')?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
    t.sandbox.end('first', 0);
    await t.clock.settle();
    expect(t.happened.slice(-2)).toEqual(['first ends with 0', 'start second']);
    expect(t.status()).toMatchObject({ phase: 'Pending' });
    expect(t.status().conditions?.find(({ type }) => type === 'Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [second]',
    });
    t.sandbox.end('second', 0);
    await t.clock.settle();
    expect(t.happened.slice(-2)).toEqual(['second ends with 0', 'start main']);
    expect(t.status()).toMatchObject({ phase: 'Running' });
    expect(t.conditions()).toMatchObject({ Initialized: 'True', Ready: 'True' });
    expect(t.container('first')).toMatchObject({ ready: true, state: { terminated: { reason: 'Completed' } } });
  });

  it('end the pod when one fails in a pod that tries nothing again', async () => {
    await t.up({ initContainers, restartPolicy: 'Never' });
    t.sandbox.end('first', 3);
    await t.run;
    expect(t.happened).toEqual(['create', 'start first', 'first ends with 3', 'destroy']);
    expect(t.status()).toMatchObject({ phase: 'Failed' });
    expect(t.container('first')?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    expect(t.conditions()).toMatchObject({ Initialized: 'False', Ready: 'False', PodReadyToStartContainers: 'False' });
  });

  it.each(['Always', 'OnFailure'] as const)(
    'are tried again, with pauses, with the policy %s',
    async (restartPolicy) => {
      await t.up({ initContainers, restartPolicy });
      for (const code of [1, 1]) {
        t.sandbox.end('first', code);
        await t.clock.settle();
      }
      expect(t.container('first')).toMatchObject({
        restartCount: 1,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 1 } },
      });
      expect(t.status()).toMatchObject({ phase: 'Pending' });
      await t.clock.advance(10 * SECOND);
      t.sandbox.end('first', 0);
      await t.clock.settle();
      expect(t.happened.slice(-2)).toEqual(['first ends with 0', 'start second']);
    },
  );
});

describe('a sidecar of a pod', () => {
  const sidecar = (name: string, more: Partial<Container> = {}) => tool(name, { restartPolicy: 'Always', ...more });

  it('has started before what comes after it begins', async () => {
    const probe = Promise.withResolvers<number>();
    t.sandbox.commands.set('is it up', probe.promise);
    const startupProbe = { exec: { command: ['is', 'it', 'up'] }, timeoutSeconds: 60 };
    await t.up({ initContainers: [sidecar('proxy', { startupProbe }), tool('init')] });
    expect(t.happened).toEqual(['create', 'start proxy', 'is it up in proxy']);
    expect(t.container('proxy')).toMatchObject({ started: false, ready: false });
    probe.resolve(0);
    await t.clock.settle();
    expect(t.happened.at(-1)).toBe('start init');
    expect(t.container('proxy')).toMatchObject({ started: true, ready: true });
    expect(t.conditions()).toMatchObject({ Initialized: 'False' });
    t.sandbox.end('init', 0);
    await t.clock.settle();
    expect(t.conditions()).toMatchObject({ Initialized: 'True', ContainersReady: 'True', Ready: 'True' });
  });

  it('that ends is started again whatever the policy, and the pod is not ready without it', async () => {
    await t.up({ initContainers: [sidecar('proxy')], restartPolicy: 'Never' });
    for (const code of [0, 1]) {
      t.sandbox.end('proxy', code);
      await t.clock.settle();
    }
    expect(t.container('proxy')).toMatchObject({ restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } });
    expect(t.status()).toMatchObject({ phase: 'Running' });
    expect(t.conditions()).toMatchObject({ Initialized: 'True', ContainersReady: 'False', Ready: 'False' });
    await t.clock.advance(10 * SECOND);
    expect(t.conditions()).toMatchObject({ ContainersReady: 'True', Ready: 'True' });
  });

  it('is asked to end when the others have ended, the last of them first', async () => {
    await t.up({ initContainers: [sidecar('a'), sidecar('b')], restartPolicy: 'Never' });
    t.sandbox.deaf.add('a');
    t.sandbox.end('main', 0);
    await t.clock.settle();
    expect(t.happened.slice(-3)).toEqual(['main ends with 0', 'SIGTERM b', 'SIGTERM a']);
    expect(t.status().phase).toBe('Running');
    t.sandbox.end('a', 0);
    await t.run;
    expect(t.happened.at(-1)).toBe('destroy');
    expect(t.status().phase).toBe('Succeeded');
  });

  it('is asked to end after the others in a pod that is stopped, in what is left of its time, and at least two seconds', async () => {
    for (const name of ['a', 'main']) t.sandbox.deaf.add(name);
    await t.up({ initContainers: [sidecar('a')] });
    const stopped = t.worker.stop(5);
    await t.clock.advance(5 * SECOND);
    expect(t.happened.slice(-3)).toEqual(['SIGTERM main', 'SIGKILL main', 'SIGTERM a']);
    await t.clock.advance(2 * SECOND);
    expect(t.happened.slice(-2)).toEqual(['SIGKILL a', 'destroy']);
    await stopped;
  });
});
