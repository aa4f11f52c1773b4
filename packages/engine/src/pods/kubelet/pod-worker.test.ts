import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, Pod, PodSpec } from '@manta/api';
import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Stored } from '../../controllers/cluster.ts';
import type { SandboxDriver } from '../sandbox/sandbox.ts';
import { type NodeServices, PodWorker } from './pod-worker.ts';
import { FakePlace } from './testing/fake-place.ts';

const SECOND = 1000;
const never = <T>() => new Promise<T>(() => {});

let folder: string;
let clock: FakeClock;
let log: string[];
let place: FakePlace;
let made: PromiseWithResolvers<void>;
/** How often a sandbox is refused before it is made. */
let refusals: number;
let configMap: Record<string, string> | undefined;
let pod: Stored<Pod>;
let worker: PodWorker;
let run: Promise<void>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-worker-'));
  clock = new FakeClock();
  log = [];
  place = new FakePlace(log);
  made = Promise.withResolvers();
  refusals = 0;
  configMap = undefined;
});
afterEach(async () => {
  made.resolve();
  await worker.stop(0);
  await run;
  rmSync(folder, { recursive: true, force: true });
});

const driver: SandboxDriver = {
  description: 'in memory',
  egress: undefined,
  apiServer: { host: '10.244.0.1', port: 6443 },
  servicesAre: never,
  reach: never,
  create: async () => {
    log.push('create');
    if (refusals > 0) {
      refusals -= 1;
      throw new Error('no address is free');
    }
    await made.promise;
    return place;
  },
  close: async () => undefined,
};

const node = (): NodeServices => ({
  driver,
  images: () => ({ kind: 'known', env: { PATH: '/bin' } }),
  clock,
  hostIp: '127.0.0.1',
  nodeCapacity: {},
  folder,
  env: {},
  linksOf: async () => ({}),
  sourcesOf: () => ({
    configMap: (name) => (configMap === undefined ? undefined : { metadata: { name }, data: configMap }),
    secret: () => undefined,
    token: never,
    claimFolder: () => undefined,
  }),
  hostsOf: () => '',
  turn: async () => () => undefined,
  tell: (_, severity, reason) => void log.push(`${severity} ${reason}`),
});

const tool = (name: string, more: Partial<Container> = {}): Container => ({
  name,
  image: 'tool',
  command: ['sleep', 'inf'],
  ...more,
});

/** Begins a pod; its place is still being made. */
function begin(spec: Partial<PodSpec> = {}): void {
  pod = {
    metadata: {
      name: 'p',
      namespace: 'default',
      uid: 'uid-1',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { a: 'b' },
    },
    spec: { containers: [tool('main')], ...spec },
  };
  worker = new PodWorker(pod, node(), () => undefined);
  run = worker.run();
}

/** Runs a pod as far as it goes by itself. */
async function up(spec: Partial<PodSpec> = {}): Promise<void> {
  begin(spec);
  made.resolve();
  await clock.settle();
}

/** What happened in its containers, without what users are told. */
const happened = () => log.filter((line) => !/^(Normal|Warning) /.test(line));
const isThere = () => existsSync(join(folder, 'uid-1'));
/** The status that is written now; the next one builds on it. */
function status() {
  const now = worker.status(pod);
  pod = { ...pod, status: now };
  return now;
}
const conditions = () => Object.fromEntries((status().conditions ?? []).map((each) => [each.type, each.status]));
const container = (name: string) => {
  const { initContainerStatuses = [], containerStatuses = [] } = status();
  return [...initContainerStatuses, ...containerStatuses].find((each) => each.name === name);
};

describe('a pod that is stopped', () => {
  it('ends its containers, then its sandbox, and takes its folder with it', async () => {
    await up();
    await worker.stop();
    await run;
    expect(happened()).toEqual(['create', 'start main', 'SIGTERM main', 'destroy']);
    expect(isThere()).toBe(false);
  });

  it('while its sandbox is being made starts nothing and leaves nothing', async () => {
    begin();
    await clock.settle();
    await worker.stop();
    made.resolve();
    await run;
    expect([log, isThere()]).toEqual([['create', 'destroy'], false]);
  });

  it('is stopped even when the machine that it was on is gone', async () => {
    place.destroy = () => Promise.reject(new Error("the pods' machine has ended"));
    await up();
    await expect(worker.stop()).resolves.toBeUndefined();
    await run;
    expect(isThere()).toBe(false);
  });

  it.each<[string, number | undefined, number | undefined, number]>([
    ['30 seconds', undefined, undefined, 30],
    ['as long as it says', 7, undefined, 7],
    ['as long as whoever deletes it says', 7, 3, 3],
  ])('has %s for that', async (_, terminationGracePeriodSeconds, asked, seconds) => {
    place.deaf.add('main');
    await up(terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds });
    const stopped = worker.stop(asked);
    await clock.advance(seconds * SECOND - 1);
    expect(happened().at(-1)).toBe('SIGTERM main');
    await clock.advance(1);
    expect(happened().slice(-2)).toEqual(['SIGKILL main', 'destroy']);
    await stopped;
  });

  it('has less time when it is deleted once more with less', async () => {
    place.deaf.add('main');
    await up();
    const stopped = worker.stop(30);
    await clock.advance(SECOND);
    void worker.stop(1);
    await clock.advance(SECOND);
    expect(happened().slice(-2)).toEqual(['SIGKILL main', 'destroy']);
    await stopped;
  });
});

describe('a pod whose sandbox cannot be made', () => {
  it('says why, and is tried again until it can', async () => {
    refusals = 2;
    await up();
    expect(status()).toMatchObject({ phase: 'Pending', message: 'no address is free' });
    expect(conditions()).toMatchObject({ PodReadyToStartContainers: 'False' });
    await clock.advance(250);
    await clock.advance(499);
    expect(log).not.toContain('Normal Started');
    await clock.advance(1);
    expect(log.slice(0, 3)).toEqual(['create', 'Warning FailedCreatePodSandBox', 'create']);
    expect(log).toContain('Normal Started');
    expect(worker.status(pod).message).toBeUndefined();
  });

  it('is tried no more when it is stopped', async () => {
    refusals = 100;
    await up();
    await worker.stop();
    await run;
    expect([log, isThere()]).toEqual([['create', 'Warning FailedCreatePodSandBox'], false]);
  });
});

describe('the init containers of a pod', () => {
  const initContainers = [tool('first'), tool('second')];

  it('run one after the other, and the others when the last has ended well', async () => {
    await up({ initContainers });
    expect(happened()).toEqual(['create', 'start first']);
    expect(conditions()).toMatchObject({ PodReadyToStartContainers: 'True', Initialized: 'False', Ready: 'False' });
    expect(container('main')?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
    place.end('first', 0);
    await clock.settle();
    expect(happened().slice(-2)).toEqual(['first ends with 0', 'start second']);
    expect(status()).toMatchObject({ phase: 'Pending' });
    expect(status().conditions?.find(({ type }) => type === 'Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [second]',
    });
    place.end('second', 0);
    await clock.settle();
    expect(happened().slice(-2)).toEqual(['second ends with 0', 'start main']);
    expect(status()).toMatchObject({ phase: 'Running' });
    expect(conditions()).toMatchObject({ Initialized: 'True', Ready: 'True' });
    expect(container('first')).toMatchObject({ ready: true, state: { terminated: { reason: 'Completed' } } });
  });

  it('end the pod when one fails in a pod that tries nothing again', async () => {
    await up({ initContainers, restartPolicy: 'Never' });
    place.end('first', 3);
    await run;
    expect(happened()).toEqual(['create', 'start first', 'first ends with 3', 'destroy']);
    expect(status()).toMatchObject({ phase: 'Failed' });
    expect(container('first')?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    expect(conditions()).toMatchObject({ Initialized: 'False', Ready: 'False', PodReadyToStartContainers: 'False' });
  });

  it.each(['Always', 'OnFailure'] as const)(
    'are tried again, with pauses, with the policy %s',
    async (restartPolicy) => {
      await up({ initContainers, restartPolicy });
      for (const code of [1, 1]) {
        place.end('first', code);
        await clock.settle();
      }
      expect(container('first')).toMatchObject({
        restartCount: 1,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 1 } },
      });
      expect(status()).toMatchObject({ phase: 'Pending' });
      await clock.advance(10 * SECOND);
      place.end('first', 0);
      await clock.settle();
      expect(happened().slice(-2)).toEqual(['first ends with 0', 'start second']);
    },
  );
});

describe('a sidecar of a pod', () => {
  const sidecar = (name: string, more: Partial<Container> = {}) => tool(name, { restartPolicy: 'Always', ...more });

  it('has started before what comes after it begins', async () => {
    const probe = Promise.withResolvers<number>();
    place.commands.set('is it up', probe.promise);
    const startupProbe = { exec: { command: ['is', 'it', 'up'] }, timeoutSeconds: 60 };
    await up({ initContainers: [sidecar('proxy', { startupProbe }), tool('init')] });
    expect(happened()).toEqual(['create', 'start proxy', 'is it up in proxy']);
    expect(container('proxy')).toMatchObject({ started: false, ready: false });
    probe.resolve(0);
    await clock.settle();
    expect(happened().at(-1)).toBe('start init');
    expect(container('proxy')).toMatchObject({ started: true, ready: true });
    expect(conditions()).toMatchObject({ Initialized: 'False' });
    place.end('init', 0);
    await clock.settle();
    expect(conditions()).toMatchObject({ Initialized: 'True', ContainersReady: 'True', Ready: 'True' });
  });

  it('that ends is started again whatever the policy, and the pod is not ready without it', async () => {
    await up({ initContainers: [sidecar('proxy')], restartPolicy: 'Never' });
    for (const code of [0, 1]) {
      place.end('proxy', code);
      await clock.settle();
    }
    expect(container('proxy')).toMatchObject({ restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } });
    expect(status()).toMatchObject({ phase: 'Running' });
    expect(conditions()).toMatchObject({ Initialized: 'True', ContainersReady: 'False', Ready: 'False' });
    await clock.advance(10 * SECOND);
    expect(conditions()).toMatchObject({ ContainersReady: 'True', Ready: 'True' });
  });

  it('is asked to end when the others have ended, the last of them first', async () => {
    await up({ initContainers: [sidecar('a'), sidecar('b')], restartPolicy: 'Never' });
    place.end('main', 0);
    await run;
    expect(happened().slice(-4)).toEqual(['main ends with 0', 'SIGTERM b', 'SIGTERM a', 'destroy']);
  });

  it('is asked to end after the others in a pod that is stopped, in what is left of its time, and at least two seconds', async () => {
    for (const name of ['a', 'main']) place.deaf.add(name);
    await up({ initContainers: [sidecar('a')] });
    const stopped = worker.stop(5);
    await clock.advance(5 * SECOND);
    expect(happened().slice(-3)).toEqual(['SIGTERM main', 'SIGKILL main', 'SIGTERM a']);
    await clock.advance(2 * SECOND);
    expect(happened().slice(-2)).toEqual(['SIGKILL a', 'destroy']);
    await stopped;
  });
});

describe('the containers of a pod', () => {
  it('begin in their order, each when the hook of the one before it is done', async () => {
    const hook = Promise.withResolvers<number>();
    place.commands.set('warm up', hook.promise);
    const first = tool('first', { lifecycle: { postStart: { exec: { command: ['warm', 'up'] } } } });
    await up({ containers: [first, tool('second')] });
    expect(happened()).toEqual(['create', 'start first', 'warm up in first']);
    hook.resolve(0);
    await clock.settle();
    expect(happened().at(-1)).toBe('start second');
  });

  it('begin also when the one before them cannot', async () => {
    const unset = { name: 'X', valueFrom: { configMapKeyRef: { name: 'no', key: 'k' } } };
    await up({ containers: [tool('first', { env: [unset] }), tool('second')] });
    expect(happened()).toEqual(['create', 'start second']);
    expect(container('first')?.state).toEqual({
      waiting: { reason: 'CreateContainerConfigError', message: 'configmap "no" not found' },
    });
    configMap = { k: 'v' };
    await clock.advance(2 * SECOND);
    expect(place.started.map(({ name }) => name)).toEqual(['second', 'first']);
  });

  it('without a command say that they have none', async () => {
    const { command: _, ...silent } = tool('main');
    await up({ containers: [silent] });
    const message = 'container main has no command, and none is known of its image';
    expect(container('main')?.state).toEqual({ waiting: { reason: 'CreateContainerError', message } });
  });

  it('are started with their words expanded, in their folder, with a file for their message', async () => {
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
    await up({ containers: [main] });
    const [started] = place.started;
    expect(started?.command).toEqual(['echo', 'world', '$(WHO)', '$(NOBODY)', 'hello world']);
    expect(started?.workingDir).toBe('/work');
    const file = join(folder, 'uid-1', 'logs', 'main.0.message');
    expect(started?.mounts).toEqual([{ kind: 'bind', source: file, target: '/tmp/last', isReadOnly: false }]);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  it('leave the output of their last two runs, and no more', async () => {
    await up();
    for (const wait of [0, 10, 20]) {
      place.end('main', 1);
      await clock.advance(wait * SECOND);
    }
    const logs = [0, 1, 2, 3].map((attempt) => existsSync(join(folder, 'uid-1', 'logs', `main.${attempt}.log`)));
    expect(logs).toEqual([false, false, true, true]);
  });
});

describe('a pod that has ended by itself', () => {
  it('gives its place back and keeps what it said, until it is deleted', async () => {
    await up({ restartPolicy: 'Never' });
    expect(worker.sandbox).toBe(place);
    place.end('main', 0);
    await run;
    expect(happened().slice(-2)).toEqual(['main ends with 0', 'destroy']);
    expect(worker.sandbox).toBeUndefined();
    expect(status()).toMatchObject({ phase: 'Succeeded', podIP: '10.244.0.2' });
    expect(existsSync(worker.container('main')?.output(false) ?? '')).toBe(true);
    await worker.stop();
    expect(isThere()).toBe(false);
  });
});

describe('the conditions of a pod', () => {
  it('follow it from its node to its end, each with the time of its last change', async () => {
    const readinessProbe = { exec: { command: ['ready'] }, failureThreshold: 1, periodSeconds: 0.001 };
    place.commands.set('ready', 1);
    begin({ restartPolicy: 'Never', containers: [tool('main', { readinessProbe })] });
    await clock.settle();
    const all = { PodScheduled: 'True', Initialized: 'True' };
    const waits = { ...all, ContainersReady: 'False', Ready: 'False' };
    expect(conditions()).toEqual({ ...waits, PodReadyToStartContainers: 'False' });
    await clock.advance(SECOND);
    made.resolve();
    await clock.settle();
    expect(conditions()).toEqual({ ...waits, PodReadyToStartContainers: 'True' });
    expect(status().conditions?.find(({ type }) => type === 'ContainersReady')).toMatchObject({
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [main]',
    });
    await clock.advance(SECOND);
    place.commands.set('ready', 0);
    await expect
      .poll(conditions)
      .toEqual({ ...all, PodReadyToStartContainers: 'True', ContainersReady: 'True', Ready: 'True' });
    await clock.advance(SECOND);
    place.end('main', 0);
    await run;
    expect(conditions()).toEqual({ ...waits, PodReadyToStartContainers: 'False' });
    const since = Object.fromEntries((status().conditions ?? []).map((each) => [each.type, each.lastTransitionTime]));
    expect(since).toMatchObject({
      PodScheduled: '2026-01-01T00:00:00Z',
      Initialized: '2026-01-01T00:00:00Z',
      Ready: '2026-01-01T00:00:03Z',
      PodReadyToStartContainers: '2026-01-01T00:00:03Z',
    });
  });
});

describe('the volumes of a running pod', () => {
  it('follow their ConfigMap, and the labels of the pod', async () => {
    configMap = { one: '1', two: '2' };
    const volumeMounts = ['map', 'labels'].map((name) => ({ name, mountPath: `/${name}` }));
    const items = [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }];
    const volumes = [
      { name: 'map', configMap: { name: 'c' } },
      { name: 'labels', downwardAPI: { items } },
    ];
    await up({ containers: [tool('main', { volumeMounts })], volumes });
    const path = (...parts: readonly string[]) => join(folder, 'uid-1', 'volumes', ...parts);
    const read = (...parts: readonly string[]) => readFileSync(path(...parts), 'utf8');
    expect([read('map', 'one'), read('map', 'two'), read('labels', 'labels')]).toEqual(['1', '2', 'a="b"']);
    configMap = { two: 'two' };
    pod = { ...pod, metadata: { ...pod.metadata, labels: { a: 'c' } } };
    status();
    await worker.refresh();
    expect([read('map', 'two'), read('labels', 'labels')]).toEqual(['two', 'a="c"']);
    expect(existsSync(path('map', 'one'))).toBe(false);
  });

  it('hold up all of its containers while one cannot be made', async () => {
    const volumeMounts = [{ name: 'map', mountPath: '/map' }];
    const volumes = [{ name: 'map', configMap: { name: 'c' } }];
    await up({ containers: [tool('first', { volumeMounts }), tool('second')], volumes });
    expect(happened()).toEqual(['create']);
    expect(log).toContain('Warning FailedMount');
    expect(container('first')?.state).toEqual({
      waiting: { reason: 'ContainerCreating', message: 'configmap "c" not found' },
    });
    configMap = { a: 'b' };
    await clock.advance(2 * SECOND);
    expect(happened()).toEqual(['create', 'start first', 'start second']);
  });
});
