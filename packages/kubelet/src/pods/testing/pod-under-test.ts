import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from '@manta/api';
import { FakeClock } from '@manta/runtime/testing';
import type { Stored } from '@manta/controllers';
import type { SandboxDriver } from '../../sandbox/sandbox.ts';
import { type NodeServices, PodWorker } from '../pod-worker.ts';
import { FakeSandbox } from './fake-sandbox.ts';

export const SECOND = 1000;
const never = <T>() => new Promise<T>(() => {});

/** A container that runs until somebody ends it. */
export const tool = (name: string, more: Partial<Container> = {}): Container => ({
  name,
  image: 'tool',
  command: ['sleep', 'inf'],
  ...more,
});

/** One pod on a machine in memory, whose clock and programs a test moves. */
export class PodUnderTest {
  readonly folder = mkdtempSync(join(tmpdir(), 'manta-worker-'));
  readonly clock = new FakeClock();
  /** What happened to its containers, and the kinds of events that users are told. */
  readonly log: string[] = [];
  readonly sandbox = new FakeSandbox(this.log);
  /** Resolved when its sandbox is made. */
  readonly made = Promise.withResolvers<void>();
  /** How often a sandbox is refused before it is made. */
  refusals = 0;
  configMap: Readonly<Record<string, string>> | undefined;
  /** Gives the tokens that its volumes ask for. */
  token: () => Promise<string> = never;
  pod: Stored<Pod> = {
    metadata: {
      name: 'p',
      namespace: 'default',
      uid: 'uid-1',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { a: 'b' },
    },
  };
  worker = new PodWorker(this.pod, this.#node(), () => undefined);
  run: Promise<void> = Promise.resolve();

  /** Begins a pod; its sandbox is still being made. */
  begin(spec: Partial<PodSpec> = {}): void {
    this.pod = { ...this.pod, spec: { containers: [tool('main')], ...spec } };
    this.worker = new PodWorker(this.pod, this.#node(), () => undefined);
    this.run = this.worker.run();
  }

  /** Runs a pod as far as it goes by itself. */
  async up(spec: Partial<PodSpec> = {}): Promise<void> {
    this.begin(spec);
    this.made.resolve();
    await this.clock.settle();
  }

  /** What happened in its containers, without what users are told. */
  get happened(): readonly string[] {
    return this.log.filter((line) => !/^(Normal|Warning) /.test(line));
  }

  /** Whether it has files. */
  get isThere(): boolean {
    return existsSync(join(this.folder, 'uid-1'));
  }

  /** The status that is written now; the next one builds on it. */
  status(): PodStatus {
    const status = this.worker.status(this.pod);
    this.pod = { ...this.pod, status };
    return status;
  }

  conditions(): Readonly<Record<string, string>> {
    return Object.fromEntries((this.status().conditions ?? []).map(({ type, status }) => [type, status]));
  }

  container(name: string): ContainerStatus | undefined {
    const { initContainerStatuses = [], containerStatuses = [] } = this.status();
    return [...initContainerStatuses, ...containerStatuses].find((each) => each.name === name);
  }

  async close(): Promise<void> {
    this.made.resolve();
    await this.worker.stop(0);
    await this.run;
    rmSync(this.folder, { recursive: true, force: true });
  }

  #driver(): SandboxDriver {
    return {
      description: 'in memory',
      egress: undefined,
      apiServer: { host: '10.244.0.1', port: 6443 },
      servicesAre: never,
      reach: never,
      create: async () => {
        this.log.push('create');
        if (this.refusals > 0) {
          this.refusals -= 1;
          throw new Error('no address is free');
        }
        await this.made.promise;
        return this.sandbox;
      },
      close: async () => undefined,
    };
  }

  #node(): NodeServices {
    return {
      driver: this.#driver(),
      images: () => ({ kind: 'known', env: { PATH: '/bin' } }),
      clock: this.clock,
      hostIp: '127.0.0.1',
      nodeCapacity: {},
      folder: this.folder,
      env: {},
      linksOf: async () => ({}),
      sourcesOf: () => ({
        configMap: (name) => (this.configMap === undefined ? undefined : { metadata: { name }, data: this.configMap }),
        secret: () => undefined,
        token: () => this.token(),
        claimFolder: () => undefined,
      }),
      hostsOf: () => '',
      turn: async () => () => undefined,
      tell: (_, severity, reason) => void this.log.push(`${severity} ${reason}`),
    };
  }
}
