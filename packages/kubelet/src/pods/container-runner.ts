import { once } from 'node:events';
import { messageOf } from '@manta/base';
import { type Container, durationFromMs, formatDuration, type LifecycleHandler } from '@manta/api';
import type { Clock } from '@manta/kube';
import { type Ended, type RestartPolicy, restarts } from './container-state.ts';
import {
  type ContainerEvent,
  type ContainerState,
  letsNextBegin,
  newContainer,
  nextContainerState,
} from './container-transition.ts';
import type { ContainerView } from './pod-status.ts';
import type { ProcessEnd, ProcessRequest, Sandbox, SandboxProcess } from '../sandbox/sandbox.ts';
import { BackOff, backOffMs } from './back-off.ts';
import { ContainerConfigError, VolumeError } from './config-error.ts';
import { Ending } from './ending.ts';
import { runHook } from '../probes/hook.ts';
import type { ImageAnswer } from '../environment/images.ts';
import { lastWords } from './last-words.ts';
import { OutputTimes } from './output-times.ts';
import { pause } from './pause.ts';
import { runProbes } from '../probes/probe-loop.ts';

/** What one container needs of the pod around it. */
export interface ContainerHost {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** The pod as messages name it. */
  readonly podName: string;
  /** How long it may take to end where nothing else is said. */
  readonly graceMs: number;
  /** The process to start, built for each run; throws a ContainerConfigError if that is not possible now. */
  readonly request: (container: Container, attempt: number) => Promise<ContainerRequest>;
  /** What runs instead of its image. */
  readonly image: (container: Container) => ImageAnswer;
  /** Whether something in it was killed for want of memory. */
  readonly hasRunOut: () => boolean;
  readonly changed: () => void;
  readonly tell: (severity: 'Normal' | 'Warning', reason: string, message: string) => void;
}

/** A process, and the file in which it may leave a message when it ends. */
export interface ContainerRequest extends ProcessRequest {
  readonly messageFile: string;
}

const CONFIG_RETRY_MS = 2_000;

/**
 * Runs one container from its first start to its last end: probes it, restarts it by its policy, stops it with its hooks. What is known of
 * the container is one value; `nextContainerState` says how each event changes it.
 */
export class ContainerRunner {
  readonly container: Container;
  readonly #host: ContainerHost;
  readonly #policy: RestartPolicy;
  readonly #stop = new AbortController();
  readonly #backOffs = new BackOff();
  readonly #begun = Promise.withResolvers<void>();
  readonly #started = Promise.withResolvers<void>();
  #state: ContainerState;
  #process: SandboxProcess | undefined;
  #ending: Ending | undefined;
  #output: OutputTimes | undefined;
  #previousOutput: OutputTimes | undefined;

  constructor(container: Container, policy: RestartPolicy, host: ContainerHost, waiting = 'ContainerCreating') {
    this.container = container;
    this.#policy = policy;
    this.#host = host;
    this.#state = newContainer(waiting);
  }

  view(): ContainerView {
    const { name, image = '' } = this.container;
    const { attempt, moment, last } = this.#state;
    return { name, image, attempt, moment, last };
  }

  get process(): SandboxProcess | undefined {
    return this.#process;
  }

  /** Whether something of it runs, its hook before it counts as running included. */
  get isAlive(): boolean {
    return this.#process !== undefined || this.#state.moment.state === 'running';
  }

  /** Resolves when it has begun, its hook included, or cannot begin for now: the pod's next container may. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** Resolves when its startup probe has succeeded, where it has one, or it will not be started any more. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /** The file with what the present run says, or the one before it; empty when there is none. */
  output(isPrevious: boolean): string {
    return this.times(isPrevious)?.path ?? '';
  }

  /** When the present run, or the one before it, said what. */
  times(isPrevious: boolean): OutputTimes | undefined {
    return isPrevious ? this.#previousOutput : this.#output;
  }

  /** Runs until it has ended for good; the pod's stop counts as that. */
  async run(): Promise<void> {
    try {
      await this.#waitForImage();
      while (!this.#stop.signal.aborted) {
        const request = await this.#requestInTime();
        if (request === undefined) return;
        const ended = await this.#runOnce(request);
        if (this.#stop.signal.aborted || !restarts(this.#policy, ended.code)) return;
        this.#apply({ type: 'will restart' });
        this.#previousOutput = this.#output;
        await this.#backOff(this.#backOffs.after(ended.endMs - (ended.startMs ?? ended.endMs)));
      }
    } finally {
      this.#begun.resolve();
      this.#started.resolve();
    }
  }

  /** Ends it: the hook first, then a request, then the hammer, all within the grace period, which another call may shorten. */
  async stop(graceMs: number): Promise<void> {
    const process = this.#process;
    const isFirst = !this.#stop.signal.aborted;
    this.#stop.abort();
    if (process !== undefined) {
      if (isFirst) this.#host.tell('Normal', 'Killing', `Stopping container ${this.container.name}`);
      await this.#end(process, graceMs);
    } else this.#apply({ type: 'stopped', nowMs: this.#host.clock.now() });
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
      this.#apply({ type: 'waits', reason: 'ErrImagePull', message: problem });
      await (answer.kind === 'unknown' ? this.#stopped() : this.#pause(backOffMs(failures)));
    }
  }

  /** Resolves with the cause of a failure, or without one after a success or when the result is no longer needed. */
  async #install(what: string, done: Promise<void>): Promise<string | undefined> {
    const { image = '' } = this.container;
    this.#host.tell('Normal', 'Pulling', `Pulling image "${image}": ${what} is being installed`);
    const message = `${what} is being installed from PyPI; this takes a minute or more`;
    this.#apply({ type: 'waits', reason: 'ContainerCreating', message });
    try {
      await Promise.race([done, this.#stopped()]);
    } catch (error) {
      return messageOf(error);
    }
    if (!this.#stop.signal.aborted)
      this.#host.tell('Normal', 'Pulled', `Successfully pulled image "${image}": ${what} is installed`);
    return undefined;
  }

  async #stopped(): Promise<void> {
    if (!this.#stop.signal.aborted) await once(this.#stop.signal, 'abort');
  }

  async #requestInTime(): Promise<ContainerRequest | undefined> {
    for (let told = ''; !this.#stop.signal.aborted; ) {
      try {
        return await this.#host.request(this.container, this.#state.attempt);
      } catch (error) {
        const message = messageOf(error);
        const reason = error instanceof ContainerConfigError ? error.reason : 'CreateContainerError';
        if (told !== message) this.#host.tell('Warning', ...eventOf(error, message));
        told = message;
        this.#apply({ type: 'waits', reason, message });
        // Nothing of a pod runs before all of its volumes are ready.
        if (!(error instanceof VolumeError)) this.#begun.resolve();
        await this.#pause(CONFIG_RETRY_MS);
      }
    }
    return undefined;
  }

  async #runOnce(request: ContainerRequest): Promise<Ended> {
    const { clock, sandbox, tell } = this.#host;
    const startMs = clock.now();
    this.#output = new OutputTimes(request.output, clock);
    let end: ProcessEnd;
    const over = new AbortController();
    try {
      const process = await sandbox.start(request);
      this.#process = process;
      tell('Normal', 'Started', `Started container ${this.container.name}`);
      // A stop was requested during the start, when there was no process to end yet.
      if (this.#stop.signal.aborted) void this.#end(process, 0);
      else void this.#bringUp(process, startMs, over.signal);
      end = await process.ended;
    } catch (error) {
      end = { code: 128 };
      tell('Warning', 'Failed', messageOf(error));
    } finally {
      over.abort();
      this.#process = undefined;
      this.#output.close();
    }
    const ended: Ended = { ...this.#describe(end, request), startMs, endMs: clock.now() };
    this.#apply({ type: 'ended', run: ended });
    return ended;
  }

  #describe(
    { code }: ProcessEnd,
    { messageFile, output }: ContainerRequest,
  ): Pick<Ended, 'code' | 'reason' | 'message'> {
    // Where the kernel has killed the first process, what waited for it ends with 1.
    const isOutOfMemory = (code === 137 || code === 1) && this.#host.hasRunOut();
    const isOutputEnough = this.container.terminationMessagePolicy === 'FallbackToLogsOnError';
    const message = lastWords({ message: messageFile, output, isOutputEnough }, code);
    const reason = isOutOfMemory ? { reason: 'OOMKilled' } : {};
    return { code: isOutOfMemory ? 137 : code, ...reason, ...(message === undefined ? {} : { message }) };
  }

  /** Runs the postStart hook, then starts the probes. The status reports the container as running only after the hook. */
  async #bringUp(process: SandboxProcess, startMs: number, over: AbortSignal): Promise<void> {
    const { lifecycle, startupProbe } = this.container;
    const isWell = lifecycle?.postStart === undefined || (await this.#hook(lifecycle.postStart, 'PostStart', process));
    if (over.aborted) return;
    if (!isWell) {
      this.#host.tell('Normal', 'Killing', 'FailedPostStartHook');
      await this.#end(process, this.#host.graceMs);
      return;
    }
    this.#apply({ type: 'runs', startMs, hasStartupProbe: startupProbe !== undefined });
    await this.#watch(process, over);
  }

  async #watch(process: SandboxProcess, over: AbortSignal): Promise<void> {
    const target = { sandbox: this.#host.sandbox, process, container: this.container };
    await runProbes(
      target,
      {
        started: () => {
          this.#apply({ type: 'startup probe succeeded' });
          this.#started.resolve();
        },
        ready: (isReady) => this.#apply({ type: 'readiness changed', isReady }),
        failed: (probe, message) => this.#host.tell('Warning', 'Unhealthy', `${probe} probe failed: ${message}`),
        unhealthy: (probe) => void this.#endUnhealthy(process, probe),
      },
      over,
    ).catch(() => undefined);
  }

  async #endUnhealthy(process: SandboxProcess, probe: 'Liveness' | 'Startup'): Promise<void> {
    const { name, livenessProbe, startupProbe } = this.container;
    this.#host.tell('Normal', 'Killing', `Container ${name} failed ${probe.toLowerCase()} probe, will be restarted`);
    const own = (probe === 'Liveness' ? livenessProbe : startupProbe)?.terminationGracePeriodSeconds;
    await this.#end(process, own === undefined ? this.#host.graceMs : own * 1000);
  }

  /** Ends a run. Only the first call runs the preStop hook. */
  #end(process: SandboxProcess, graceMs: number): Promise<void> {
    if (this.#ending?.process !== process) {
      const hook = this.container.lifecycle?.preStop;
      const preStop = hook && (async () => void (await this.#hook(hook, 'PreStop', process)));
      this.#ending = new Ending(process, this.#host.clock, preStop);
    }
    return this.#ending.within(graceMs);
  }

  async #hook(hook: LifecycleHandler, name: 'PostStart' | 'PreStop', process: SandboxProcess): Promise<boolean> {
    const { sandbox, clock } = this.#host;
    const result = await runHook(hook, { sandbox, process, container: this.container }, clock);
    // What ends because its container does has not failed.
    const isOver = this.#process !== process;
    if (!result.isOk && !isOver)
      this.#host.tell('Warning', `Failed${name}Hook`, `${name}Hook failed: ${result.message}`);
    return result.isOk;
  }

  async #backOff(waitMs: number): Promise<void> {
    if (waitMs === 0) return;
    const { name } = this.container;
    const { podName } = this.#host;
    const wait = formatDuration(durationFromMs(waitMs));
    const message = `back-off ${wait} restarting failed container=${name} pod=${podName}`;
    this.#host.tell('Warning', 'BackOff', `Back-off restarting failed container ${name} in pod ${podName}`);
    this.#apply({ type: 'waits', reason: 'CrashLoopBackOff', message });
    await this.#pause(waitMs);
  }

  #pause(ms: number): Promise<void> {
    return pause(this.#host.clock, ms, this.#stop.signal);
  }

  /** Moves to the next state, and notifies the pod if its status changes. */
  #apply(event: ContainerEvent): void {
    const before = this.#state;
    this.#state = nextContainerState(before, event);
    if (this.#state.moment === before.moment) return;
    if (letsNextBegin(this.#state)) this.#begun.resolve();
    this.#host.changed();
  }
}

function eventOf(error: unknown, message: string): readonly [reason: string, message: string] {
  return error instanceof VolumeError
    ? ['FailedMount', `MountVolume.SetUp failed for volume "${error.volume}" : ${message}`]
    : ['Failed', `Error: ${message}`];
}
