import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PodUnderTest, SECOND, tool } from './testing/pod-under-test.ts';

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

  it('hold up all of its containers while one cannot be made', async () => {
    const volumeMounts = [{ name: 'map', mountPath: '/map' }];
    const volumes = [{ name: 'map', configMap: { name: 'c' } }];
    await t.up({ containers: [tool('first', { volumeMounts }), tool('second')], volumes });
    expect(t.happened).toEqual(['create']);
    expect(t.log).toContain('Warning FailedMount');
    expect(t.container('first')?.state).toEqual({
      waiting: { reason: 'ContainerCreating', message: 'configmap "c" not found' },
    });
    t.configMap = { a: 'b' };
    await t.clock.advance(2 * SECOND);
    expect(t.happened).toEqual(['create', 'start first', 'start second']);
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
    expect(t.place.started).toHaveLength(1);
  });
});
