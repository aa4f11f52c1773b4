import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Container } from '@manta/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PodUnderTest, SECOND, tool } from './testing/pod-under-test.ts';

let t: PodUnderTest;
beforeEach(() => {
  t = new PodUnderTest();
});
afterEach(() => t.close());

const sidecar = (more: Partial<Container> = {}) => tool('side', { restartPolicy: 'Always', ...more });
const PASSED = {
  phase: 'Failed',
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

describe('a pod whose time is over ends', () => {
  it('while its sidecar has not started', async () => {
    const startupProbe = { exec: { command: ['never'] }, failureThreshold: 1000, periodSeconds: 1000 };
    t.sandbox.commands.set('never', 1);
    await t.up({ activeDeadlineSeconds: 60, initContainers: [sidecar({ startupProbe })] });
    await t.clock.advance(60 * SECOND);
    await t.run;
    expect(t.happened.slice(-2)).toEqual(['SIGTERM side', 'destroy']);
    expect(t.status()).toMatchObject(PASSED);
  });

  it('while its sidecar waits for a ConfigMap, and nothing is started when that comes', async () => {
    const env = [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }];
    await t.up({ activeDeadlineSeconds: 60, initContainers: [sidecar({ env })] });
    await t.clock.advance(60 * SECOND);
    expect(t.status()).toMatchObject(PASSED);
    t.configMap = { k: 'v' };
    await t.clock.advance(10 * SECOND);
    expect(t.happened).toEqual(['create', 'destroy']);
  });

  it('while it has no sandbox, which nobody looks for any more', async () => {
    t.refusals = 1000;
    await t.up({ activeDeadlineSeconds: 60 });
    await t.clock.advance(60 * SECOND);
    await t.run;
    expect(t.status()).toMatchObject(PASSED);
    expect(t.status()).not.toHaveProperty('podIP');
    const tries = t.happened.length;
    await t.clock.advance(600 * SECOND);
    expect(t.happened).toHaveLength(tries);
  });

  it('while a hook runs, and has ended no sooner than what the hook is for', async () => {
    t.sandbox.commands.set('warm up', new Promise(() => {}));
    t.sandbox.deaf.add('main');
    const main = tool('main', { lifecycle: { postStart: { exec: { command: ['warm', 'up'] } } } });
    await t.up({ activeDeadlineSeconds: 60, terminationGracePeriodSeconds: 5, containers: [main] });
    await t.clock.advance(60 * SECOND);
    expect(t.happened.at(-1)).toBe('SIGTERM main');
    expect(t.status().reason).toBeUndefined();
    await t.clock.advance(5 * SECOND);
    await t.run;
    expect(t.status()).toMatchObject(PASSED);
    expect(t.container('main')?.state?.terminated).toMatchObject({ exitCode: 137 });
  });
});

describe('a container of a pod that is ended', () => {
  it('was not found where it never ran', async () => {
    await t.up({ activeDeadlineSeconds: 60, initContainers: [tool('init')] });
    await t.clock.advance(60 * SECOND);
    await t.run;
    const { state, imageID, containerID } = t.container('main') ?? {};
    const message = 'The container could not be located when the pod was terminated';
    const finishedAt = '2026-01-01T00:01:00Z';
    expect(state).toEqual({
      terminated: { exitCode: 137, reason: 'ContainerStatusUnknown', message, finishedAt },
    });
    expect([imageID, containerID]).toEqual(['', undefined]);
  });

  it('has ended as its last run did where it waits for the next', async () => {
    await t.up({ activeDeadlineSeconds: 60 });
    for (const _ of [0, 1]) {
      await t.clock.advance(SECOND);
      t.sandbox.end('main', 3);
      await t.clock.settle();
    }
    const { restartCount, lastState } = t.container('main') ?? {};
    await t.worker.stop();
    expect(t.container('main')).toMatchObject({ restartCount, state: lastState });
    expect(t.container('main')?.state?.terminated).toMatchObject({ exitCode: 3, startedAt: '2026-01-01T00:00:01Z' });
  });
});

it('a pod that is evicted does not wait for what its sidecar would get otherwise', async () => {
  t.sandbox.deaf.add('side');
  await t.up({
    terminationGracePeriodSeconds: 600,
    volumes: [{ name: 'w', emptyDir: { sizeLimit: '1Ki' } }],
    initContainers: [sidecar({ volumeMounts: [{ name: 'w', mountPath: '/w' }] })],
  });
  writeFileSync(join(t.folder, 'uid-1', 'volumes', 'w', 'much'), Buffer.alloc(100_000, 1));
  const evicted = t.worker.refresh();
  await expect.poll(() => t.happened.at(-1)).toBe('SIGTERM side');
  await t.clock.advance(2 * SECOND);
  await Promise.all([evicted, t.run]);
  expect(t.happened.slice(-3)).toEqual(['SIGTERM side', 'SIGKILL side', 'destroy']);
  expect(t.status()).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
});

it.each<[string, number, number]>([
  ['with less time, has at least two seconds for its sidecar', 1, 2],
  ['by force, has none', 0, 0],
])('a pod that is stopped once more, %s', async (_, graceSeconds, seconds) => {
  t.sandbox.deaf.add('side');
  await t.up({ initContainers: [sidecar()] });
  const first = t.worker.stop(600);
  await t.clock.advance(SECOND);
  expect(t.happened.at(-1)).toBe('SIGTERM side');
  const again = t.worker.stop(graceSeconds);
  await t.clock.advance(seconds * SECOND);
  expect(t.happened.slice(-2)).toEqual(['SIGKILL side', 'destroy']);
  await Promise.all([first, again]);
});
