import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ContainerRunner } from './container-runner.ts';
import type { ImageAnswer } from './images.ts';

/** How long it would have waited. */
const pauses = vi.hoisted<number[]>(() => []);
vi.mock('node:timers/promises', () => ({ setTimeout: async (ms: number) => void pauses.push(ms) }));
beforeEach(() => void pauses.splice(0));

/** A container whose image is what it is told to be, and whose program ends at once. */
function runnerOf(image: () => ImageAnswer) {
  const log: string[] = [];
  const never = () => new Promise<never>(() => {});
  const runner = new ContainerRunner({ name: 'main', image: 'rayproject/ray:2.53.0' }, 'Never', {
    sandbox: {
      ip: '10.244.0.2',
      start: async ({ name }) => {
        log.push(`start ${name}`);
        return { name, ended: Promise.resolve({ code: 0 }), signal: async () => undefined };
      },
      exec: never,
      connect: never,
      setHosts: never,
      destroy: never,
    },
    now: () => Date.now(),
    request: async ({ name }) => ({ name, command: ['true'], env: {}, mounts: [], shmBytes: 0, output: '/nowhere' }),
    image,
    hasRunOut: () => false,
    changed: () => {
      const { moment } = runner.view();
      if (moment.state === 'waiting') log.push(`${moment.reason}: ${moment.message}`);
    },
    tell: (severity, reason, message) => void log.push(`${severity} ${reason}: ${message}`),
  });
  return { runner, log, run: runner.run() };
}

const KNOWN: ImageAnswer = { kind: 'known', env: {} };
const installing = (done: Promise<void>): ImageAnswer => ({ kind: 'installing', what: 'Ray 2.53.0', done });

const IMAGE = '"rayproject/ray:2.53.0"';
const WAITING = [
  `Normal Pulling: Pulling image ${IMAGE}: Ray 2.53.0 is being installed`,
  'ContainerCreating: Ray 2.53.0 is being installed from PyPI; this takes a minute or more',
];
const STARTED = ['start main', 'Normal Started: Started container main'];

describe('a container whose image is being installed', () => {
  it('waits for it, says what it waits for, and then runs', async () => {
    let isThere = false;
    const done = Promise.withResolvers<void>();
    const { log, run } = runnerOf(() => (isThere ? KNOWN : installing(done.promise)));
    await Promise.resolve();
    expect(log).toEqual(WAITING);
    isThere = true;
    done.resolve();
    await run;
    const pulled = `Normal Pulled: Successfully pulled image ${IMAGE}: Ray 2.53.0 is installed`;
    expect(log).toEqual([...WAITING, pulled, ...STARTED]);
  });

  it('says why it cannot be had, and tries again, ever more seldom', async () => {
    const failing = () => installing(Promise.reject(new Error('no package index answers')));
    const answers = [failing(), failing(), KNOWN];
    const { log, run } = runnerOf(() => answers.shift() ?? KNOWN);
    await run;
    const failed = [
      `Warning Failed: Failed to pull image ${IMAGE}: no package index answers`,
      'ErrImagePull: no package index answers',
    ];
    expect(log).toEqual([...WAITING, ...failed, ...WAITING, ...failed, ...STARTED]);
    expect(pauses.slice(0, 2)).toEqual([10_000, 20_000]);
  });

  it('does not outlast the pod', async () => {
    const { runner, log, run } = runnerOf(() => installing(new Promise(() => {})));
    await runner.stop(0);
    await run;
    expect(log).toEqual(WAITING);
  });
});
