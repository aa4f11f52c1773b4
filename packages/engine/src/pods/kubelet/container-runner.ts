import { once } from 'node:events';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container, LifecycleHandler } from '@manta/api';
import { type ContainerMoment, type Ended, type RestartPolicy, restarts } from '../../kubelet/container-timeline.ts';
import type { ContainerView } from '../../kubelet/pod-status.ts';
import type { ProcessEnd, ProcessRequest, Sandbox, SandboxProcess } from '../sandbox/sandbox.ts';
import { ContainerConfigError } from './config-error.ts';
import type { ImageAnswer } from './images.ts';
import { tryProbe } from './probe.ts';
import { runProbes } from './probe-loop.ts';

/** What one container needs of the pod around it. */
export interface ContainerHost {
  readonly sandbox: Sandbox;
  readonly now: () => number;
  /** The process to start, made anew for each run; throws a ContainerConfigError when it cannot be made now. */
  readonly request: (container: Container, attempt: number) => Promise<ProcessRequest>;
  /** What runs instead of its image. */
  readonly image: (container: Container) => ImageAnswer;
  /** Whether something in it was killed for want of memory. */
  readonly hasRunOut: () => boolean;
  readonly changed: () => void;
  readonly tell: (severity: 'Normal' | 'Warning', reason: string, message: string) => void;
}

const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 300_000;
/** A run this long is a success, whatever its end: the next restart comes at once. */
const FORGIVING_MS = 600_000;
const CONFIG_RETRY_MS = 2_000;
const MESSAGE_BYTES = 2048;

/** One container from its first start to its last end: probed, restarted by its policy, stopped with its hooks. */
export class ContainerRunner {
  readonly container: Container;
  readonly #host: ContainerHost;
  readonly #policy: RestartPolicy;
  readonly #stop = new AbortController();
  #attempt = 0;
  #moment: ContainerMoment = { state: 'waiting', reason: 'ContainerCreating' };
  #last: Ended | undefined;
  #process: SandboxProcess | undefined;
  #output = '';
  #previousOutput = '';

  constructor(container: Container, policy: RestartPolicy, host: ContainerHost, waiting = 'ContainerCreating') {
    this.container = container;
    this.#policy = policy;
    this.#host = host;
    this.#moment = { state: 'waiting', reason: waiting };
  }

  view(): ContainerView {
    const { name, image = '' } = this.container;
    return { name, image, attempt: this.#attempt, moment: this.#moment, last: this.#last };
  }

  get process(): SandboxProcess | undefined {
    return this.#process;
  }

  /** The file with what the present run says, or the one before it; empty when there is none. */
  output(isPrevious: boolean): string {
    return isPrevious ? this.#previousOutput : this.#output;
  }

  /** Runs until it has ended for good; the pod's stop counts as that. */
  async run(): Promise<void> {
    await this.#waitForImage();
    for (let crashes = 0; !this.#stop.signal.aborted; ) {
      const request = await this.#requestInTime();
      if (request === undefined) return;
      const ended = await this.#runOnce(request);
      if (this.#stop.signal.aborted || !restarts(this.#policy, ended.code)) return;
      crashes = ended.endMs - ended.startMs > FORGIVING_MS ? 0 : crashes + 1;
      this.#last = ended;
      this.#attempt += 1;
      await this.#backOff(crashes);
    }
  }

  /** Ends it: the hook first, then a request, then the hammer, all within the grace period. */
  async stop(graceMs: number): Promise<void> {
    const process = this.#process;
    this.#stop.abort();
    if (process === undefined) {
      if (this.#moment.state === 'waiting')
        this.#set({ state: 'ended', code: 137, startMs: 0, endMs: this.#host.now() });
      return;
    }
    const deadline = sleep(graceMs, 'late', { ref: false });
    const hook = this.container.lifecycle?.preStop;
    if (hook !== undefined && graceMs > 0) await Promise.race([this.#hook(hook, 'PreStop'), process.ended, deadline]);
    if (graceMs > 0) await process.signal('SIGTERM').catch(() => undefined);
    const outcome = await Promise.race([process.ended, deadline]);
    if (outcome === 'late') await process.signal('SIGKILL').catch(() => undefined);
    await process.ended;
  }

  /** Until its image can be had; one that could not be installed is tried again, ever more seldom. */
  async #waitForImage(): Promise<void> {
    const { image = '' } = this.container;
    for (let failures = 1; !this.#stop.signal.aborted; failures += 1) {
      const answer = this.#host.image(this.container);
      if (answer.kind === 'known') return;
      const problem = answer.kind === 'unknown' ? answer.message : await this.#install(answer.what, answer.done);
      if (problem === undefined) continue;
      this.#host.tell('Warning', 'Failed', `Failed to pull image "${image}": ${problem}`);
      this.#set({ state: 'waiting', reason: 'ErrImagePull', message: problem });
      await (answer.kind === 'unknown' ? this.#stopped() : this.#pause(backOffMs(failures)));
    }
  }

  /** Resolves with the reason for which it failed, and without one when it is there or nobody waits for it any more. */
  async #install(what: string, done: Promise<void>): Promise<string | undefined> {
    const { image = '' } = this.container;
    this.#host.tell('Normal', 'Pulling', `Pulling image "${image}": ${what} is being installed`);
    const message = `${what} is being installed from PyPI; this takes a minute or more`;
    this.#set({ state: 'waiting', reason: 'ContainerCreating', message });
    try {
      await Promise.race([done, this.#stopped()]);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    if (!this.#stop.signal.aborted)
      this.#host.tell('Normal', 'Pulled', `Successfully pulled image "${image}": ${what} is installed`);
    return undefined;
  }

  async #stopped(): Promise<void> {
    if (!this.#stop.signal.aborted) await once(this.#stop.signal, 'abort');
  }

  async #requestInTime(): Promise<ProcessRequest | undefined> {
    while (!this.#stop.signal.aborted) {
      try {
        return await this.#host.request(this.container, this.#attempt);
      } catch (error) {
        if (!(error instanceof ContainerConfigError)) throw error;
        this.#set({ state: 'waiting', reason: 'CreateContainerConfigError', message: error.message });
        await this.#pause(CONFIG_RETRY_MS);
      }
    }
    return undefined;
  }

  async #runOnce(request: ProcessRequest): Promise<Ended> {
    this.#previousOutput = this.#output;
    this.#output = request.output;
    const startMs = this.#host.now();
    let end: ProcessEnd;
    const over = new AbortController();
    try {
      const process = await this.#host.sandbox.start(request);
      this.#process = process;
      this.#host.tell('Normal', 'Started', `Started container ${this.container.name}`);
      this.#set({ state: 'running', startMs, isReady: false });
      void this.#watch(process, startMs, over.signal);
      end = await process.ended;
    } catch (error) {
      end = { code: 128 };
      this.#host.tell('Warning', 'Failed', error instanceof Error ? error.message : String(error));
    } finally {
      over.abort();
      this.#process = undefined;
    }
    const ended: Ended = { ...this.#describe(end), startMs, endMs: this.#host.now() };
    this.#set({ state: 'ended', ...ended });
    return ended;
  }

  /** A run that ended badly is told with its last words. */
  #describe({ code }: ProcessEnd): Pick<Ended, 'code' | 'reason' | 'message'> {
    if (code === 0) return { code };
    // Where the kernel has killed the first process, what waited for it ends with 1.
    if ((code === 137 || code === 1) && this.#host.hasRunOut()) return { code: 137, reason: 'OOMKilled' };
    const message =
      this.container.terminationMessagePolicy === 'FallbackToLogsOnError' ? tailOf(this.#output) : undefined;
    const reason = code === 137 && !this.#stop.signal.aborted ? { reason: 'Error' } : {};
    return { code, ...reason, ...(message === undefined ? {} : { message }) };
  }

  async #watch(process: SandboxProcess, startMs: number, signal: AbortSignal): Promise<void> {
    const postStart = this.container.lifecycle?.postStart;
    if (postStart !== undefined) await this.#hook(postStart, 'PostStart');
    const target = { sandbox: this.#host.sandbox, process, container: this.container };
    await runProbes(
      target,
      {
        started: () => undefined,
        ready: (isReady) => this.#setReady(startMs, isReady),
        failed: (probe, message) => this.#host.tell('Warning', 'Unhealthy', `${probe} probe failed: ${message}`),
        unhealthy: (probe) => {
          const note = `Container ${this.container.name} failed ${probe.toLowerCase()} probe, will be restarted`;
          this.#host.tell('Normal', 'Killing', note);
          void this.#end(process);
        },
      },
      signal,
    ).catch(() => undefined);
  }

  async #end(process: SandboxProcess): Promise<void> {
    await process.signal('SIGTERM').catch(() => undefined);
    const outcome = await Promise.race([process.ended, sleep(10_000, 'late', { ref: false })]);
    if (outcome === 'late') await process.signal('SIGKILL').catch(() => undefined);
  }

  async #hook(hook: LifecycleHandler, name: string): Promise<void> {
    const process = this.#process;
    if (process === undefined) return;
    if (hook.sleep !== undefined) {
      await sleep(hook.sleep.seconds * 1000, undefined, { ref: false });
      return;
    }
    const result = await tryProbe(
      { ...hook, timeoutSeconds: 600 },
      { sandbox: this.#host.sandbox, process, container: this.container },
    );
    if (!result.isOk) this.#host.tell('Warning', `Failed${name}Hook`, result.message);
  }

  async #backOff(crashes: number): Promise<void> {
    const waitMs = crashes <= 1 ? 0 : backOffMs(crashes - 1);
    const { name } = this.container;
    const message = `back-off ${waitMs / 1000}s restarting failed container=${name}`;
    if (waitMs === 0) return;
    this.#host.tell('Warning', 'BackOff', `Back-off restarting failed container ${name}`);
    this.#set({ state: 'waiting', reason: 'CrashLoopBackOff', message });
    await this.#pause(waitMs);
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
  }

  #setReady(startMs: number, isReady: boolean): void {
    if (this.#moment.state !== 'running' || this.#moment.isReady === isReady) return;
    this.#set({ state: 'running', startMs, isReady });
  }

  #set(moment: ContainerMoment): void {
    this.#moment = moment;
    this.#host.changed();
  }
}

/** How long to wait after so many failures in a row. */
function backOffMs(failures: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS);
}

function tailOf(path: string): string | undefined {
  try {
    const { size } = statSync(path);
    const length = Math.min(size, MESSAGE_BYTES);
    const buffer = Buffer.alloc(length);
    const file = openSync(path, 'r');
    readSync(file, buffer, 0, length, size - length);
    closeSync(file);
    return buffer.toString('utf8');
  } catch {
    return undefined;
  }
}
