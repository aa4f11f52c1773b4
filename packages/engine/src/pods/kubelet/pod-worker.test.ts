import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@manta/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Stored } from '../../controllers/cluster.ts';
import type { Sandbox, SandboxDriver } from '../sandbox/sandbox.ts';
import { type NodeServices, PodWorker } from './pod-worker.ts';

const pod: Stored<Pod> = {
  metadata: {
    name: 'p',
    namespace: 'default',
    uid: 'uid-1',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { containers: [{ name: 'main', image: 'tool', command: ['sleep', 'inf'] }] },
};
const never = <T>() => new Promise<T>(() => {});

let folder: string;
let log: string[];
let finishMaking: () => void;
/** How often a sandbox is refused before it is made. */
let refusals: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-worker-'));
  log = [];
  refusals = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A place in which everything begins at once and ends when it is told to. */
function sandbox(destroy: () => Promise<void>): Sandbox {
  return {
    ip: '10.244.0.2',
    start: async ({ name }) => {
      log.push(`start ${name}`);
      let end: (how: { code: number }) => void = () => undefined;
      const ended = new Promise<{ code: number }>((resolve) => {
        end = resolve;
      });
      return {
        name,
        ended,
        signal: async () => {
          log.push(`end ${name}`);
          end({ code: 143 });
        },
      };
    },
    exec: never,
    setHosts: async () => undefined,
    connect: never,
    destroy: async () => {
      log.push('destroy');
      await destroy();
    },
  };
}

/** A worker on a machine that takes its time to make a sandbox. */
function worker(destroy: () => Promise<void> = async () => undefined): PodWorker {
  const made = new Promise<void>((resolve) => {
    finishMaking = resolve;
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
      await made;
      return sandbox(destroy);
    },
    close: async () => undefined,
  };
  const node: NodeServices = {
    driver,
    images: () => ({ kind: 'known', env: {} }),
    now: () => 0,
    hostIp: '127.0.0.1',
    nodeCapacity: {},
    folder,
    env: {},
    linksOf: async () => ({}),
    sourcesOf: () => ({
      configMap: () => undefined,
      secret: () => undefined,
      token: never,
      claimFolder: () => undefined,
    }),
    hostsOf: () => '',
    turn: async () => () => undefined,
    tell: (_, severity, reason) => void log.push(`${severity} ${reason}`),
  };
  return new PodWorker(pod, node, () => undefined);
}

const isUp = () => vi.waitFor(() => expect(log).toContain('Normal Started'));
const isThere = () => existsSync(join(folder, 'uid-1'));

describe('a pod that is stopped', () => {
  it('ends its containers, then its sandbox, and takes its folder with it', async () => {
    const own = worker();
    const run = own.run();
    finishMaking();
    await isUp();
    await own.stop();
    await run;
    expect(log.filter((line) => !line.startsWith('Normal'))).toEqual(['create', 'start main', 'end main', 'destroy']);
    expect(isThere()).toBe(false);
  });

  it('while its sandbox is being made starts nothing and leaves nothing', async () => {
    const own = worker();
    const run = own.run();
    await vi.waitFor(() => expect(log).toContain('create'));
    await own.stop();
    finishMaking();
    await run;
    expect([log, isThere()]).toEqual([['create', 'destroy'], false]);
  });

  it('is stopped even when the machine that it was on is gone', async () => {
    const own = worker(() => Promise.reject(new Error("the pods' machine has ended")));
    const run = own.run();
    finishMaking();
    await isUp();
    await expect(own.stop()).resolves.toBeUndefined();
    await run;
    expect(isThere()).toBe(false);
  });
});

describe('a pod whose sandbox cannot be made', () => {
  it('says why, and is tried again until it can', async () => {
    refusals = 1;
    const own = worker();
    const run = own.run();
    finishMaking();
    await vi.waitFor(() => expect(own.status(pod).message).toBe('no address is free'));
    await vi.waitFor(() => expect(log).toContain('Normal Started'), { timeout: 10_000 });
    expect(log.slice(0, 3)).toEqual(['create', 'Warning FailedCreatePodSandBox', 'create']);
    expect(own.status(pod).message).toBeUndefined();
    await own.stop();
    await run;
  });

  it('is tried no more when it is stopped', async () => {
    refusals = 100;
    const own = worker();
    const run = own.run();
    await vi.waitFor(() => expect(log).toContain('Warning FailedCreatePodSandBox'));
    await own.stop();
    await run;
    expect([log, isThere()]).toEqual([['create', 'Warning FailedCreatePodSandBox'], false]);
  });
});
