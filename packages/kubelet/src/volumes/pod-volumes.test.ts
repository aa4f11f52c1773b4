import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PodSpec } from '@manta/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PodUnderTest, SECOND, tool } from '../pods/testing/pod-under-test.ts';

let t: PodUnderTest;
beforeEach(() => {
  t = new PodUnderTest();
});
afterEach(() => t.close());

describe('the volumes of a running pod', () => {
  it('follow their ConfigMap, and the labels of the pod', async () => {
    t.configMap = { one: '1', two: '2' };
    const volumeMounts = ['map', 'labels'].map((name) => ({ name, mountPath: `/${name}` }));
    const items = [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }];
    const volumes = [
      { name: 'map', configMap: { name: 'c' } },
      { name: 'labels', downwardAPI: { items } },
    ];
    await t.up({ containers: [tool('main', { volumeMounts })], volumes });
    const path = (...parts: readonly string[]) => join(t.folder, 'uid-1', 'volumes', ...parts);
    const read = (...parts: readonly string[]) => readFileSync(path(...parts), 'utf8');
    expect([read('map', 'one'), read('map', 'two'), read('labels', 'labels')]).toEqual(['1', '2', 'a="b"']);
    t.configMap = { two: 'two' };
    t.pod = { ...t.pod, metadata: { ...t.pod.metadata, labels: { a: 'c' } } };
    t.status();
    await t.worker.refresh();
    expect([read('map', 'two'), read('labels', 'labels')]).toEqual(['two', 'a="c"']);
    expect(existsSync(path('map', 'one'))).toBe(false);
  });

  const volumeMounts = [{ name: 'map', mountPath: '/map' }];
  const volumes = [{ name: 'map', configMap: { name: 'c' } }];
  const [plain, mounting] = [tool('plain'), tool('mounting', { volumeMounts })];

  it.each<[string, Partial<PodSpec>, readonly string[]]>([
    ['containers', { containers: [mounting, plain] }, ['mounting', 'plain']],
    ['containers, also those that are not concerned', { containers: [plain, mounting] }, ['plain', 'mounting']],
    ['init containers, also for the others', { initContainers: [plain], containers: [mounting] }, ['plain']],
  ])('hold up all of its %s while one cannot be made', async (_, spec, started) => {
    await t.up({ ...spec, volumes });
    expect(t.happened).toEqual(['create']);
    expect(t.log).toContain('Warning FailedMount');
    expect(t.container(started[0] ?? '')?.state).toEqual({
      waiting: { reason: 'ContainerCreating', message: 'configmap "c" not found' },
    });
    t.configMap = { a: 'b' };
    await t.clock.advance(2 * SECOND);
    expect(t.happened).toEqual(['create', ...started.map((name) => `start ${name}`)]);
  });

  it('are there still when what they show has gone, and a container begins again', async () => {
    t.configMap = { a: 'b' };
    await t.up({ containers: [mounting], volumes });
    t.configMap = undefined;
    t.sandbox.end('mounting', 1);
    await t.clock.settle();
    expect(t.happened).toEqual(['create', 'start mounting', 'mounting ends with 1', 'start mounting']);
  });

  const token = [{ name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }];
  const withToken = tool('main', { volumeMounts: [{ name: 'token', mountPath: '/token' }] });

  it('keep a token until most of its life is over', async () => {
    let asked = 0;
    t.token = async () => `token ${(asked += 1)}`;
    await t.up({ containers: [withToken], volumes: token });
    const shown = async () => {
      await t.worker.refresh();
      return readFileSync(join(t.folder, 'uid-1', 'volumes', 'token', 'token'), 'utf8');
    };
    await t.clock.advance(0.8 * 3600 * SECOND - 1);
    expect(await shown()).toBe('token 1');
    await t.clock.advance(1);
    expect(await shown()).toBe('token 2');
    expect(await shown()).toBe('token 2');
  });

  it.each<[string, Partial<PodSpec>]>([
    ['container', { containers: [withToken] }],
    ['sidecar', { initContainers: [{ ...withToken, name: 'side', restartPolicy: 'Always' }] }],
  ])('leave nothing behind when the pod goes while a token for its %s is awaited', async (_, spec) => {
    const awaited = Promise.withResolvers<string>();
    t.token = () => awaited.promise;
    await t.up({ ...spec, volumes: token });
    await t.worker.stop();
    expect(t.isThere).toBe(false);
    awaited.resolve('late');
    await t.run;
    await t.clock.settle();
    expect(t.isThere).toBe(false);
  });

  it('leave nothing behind when the pod goes while they are brought up to date', async () => {
    t.token = async () => 'first';
    await t.up({ containers: [withToken], volumes: token });
    await t.clock.advance(3600 * SECOND);
    const awaited = Promise.withResolvers<string>();
    t.token = () => awaited.promise;
    const refreshed = t.worker.refresh();
    await t.worker.stop();
    awaited.resolve('late');
    await refreshed;
    expect(t.isThere).toBe(false);
  });
});

describe('a pod that keeps more in a volume than it may', () => {
  const path = () => join(t.folder, 'uid-1', 'volumes', 'work');

  it('is ended for good, with the reason, and what it said stays', async () => {
    const volumeMounts = [{ name: 'work', mountPath: '/work' }];
    const volumes = [{ name: 'work', emptyDir: { sizeLimit: '1Mi' } }];
    await t.up({ containers: [tool('main', { volumeMounts })], volumes });
    writeFileSync(join(path(), 'a'), Buffer.alloc(1_000_000, 1));
    await t.worker.refresh();
    expect(t.status()).toMatchObject({ phase: 'Running' });
    writeFileSync(join(path(), 'b'), Buffer.alloc(100_000, 1));
    await t.worker.refresh();
    await t.run;
    expect(t.happened.slice(-2)).toEqual(['SIGTERM main', 'destroy']);
    expect(t.log).toContain('Warning Evicted');
    const message = 'Usage of EmptyDir volume "work" exceeds the limit "1Mi". ';
    expect(t.status()).toMatchObject({ phase: 'Failed', reason: 'Evicted', message });
    expect(t.conditions()).toMatchObject({ Ready: 'False', DisruptionTarget: 'True' });
    expect(existsSync(t.worker.container('main')?.output(false) ?? '')).toBe(true);
    await t.clock.advance(1000 * SECOND);
    expect(t.sandbox.started).toHaveLength(1);
  });
});
