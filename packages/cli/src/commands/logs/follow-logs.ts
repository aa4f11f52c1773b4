import type { Pod } from '@manta/api';
import { isForbidden, isGone, isNotFound, resources, TransportError } from '@manta/kube';
import { wait } from '@manta/ray';
import { failedTo } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';
import { labelOf } from '../../resolve-target.ts';
import { RAY_TYPES, type Target } from '../../target.ts';
import { containerRuns, type ContainerRun } from './containers.ts';
import type { LogPrinter } from './log-printer.ts';
import type { LogsFlags } from './logs-flags.ts';
import type { PodSelection } from './pod-selection.ts';
import { readLog } from './read-log.ts';

const POLL_MS = 2_000;

/** Follows all selected containers until Ctrl-C or until the object is deleted. Pods are joined when they start and left when they end. */
export async function followLogs(
  call: Invocation,
  namespace: string,
  target: Target | undefined,
  selection: PodSelection,
  flags: LogsFlags,
  printer: LogPrinter,
): Promise<void> {
  const follower = new LogFollower(call, namespace, flags, printer);
  const { clock, signal } = call.world;
  const client = await call.client();
  let isFirst = true;
  let mayWatch = true;
  while (!signal.aborted) {
    const list = await client.list(resources.pods, { namespace }).catch((error: unknown) => {
      // An API server that restarts is waited for; a wrong address or a missing right is not.
      if (isFirst || !(error instanceof TransportError)) throw failedTo('unable to list pods', error);
      return undefined;
    });
    if (list !== undefined) {
      for (const pod of list.items) if (await selection.has(pod)) follower.see(pod);
      if (isFirst && follower.isEmpty) call.say('No pods yet; waiting for them. Ctrl-C ends.');
      isFirst = false;
      if (target !== undefined && !(await exists(call, namespace, target))) {
        await follower.settled();
        call.say(`${labelOf(target)} was deleted.`);
        return;
      }
    }
    const resourceVersion = list?.metadata.resourceVersion;
    if (mayWatch && resourceVersion !== undefined) {
      const watching = watchPods(call, namespace, resourceVersion, selection, follower);
      mayWatch = await Promise.race([watching, follower.failure]);
      if (!mayWatch) call.say(`You may not watch pods: new pods are looked for every ${POLL_MS / 1000} s.`);
    }
    await Promise.race([wait(clock, POLL_MS, signal), follower.failure]);
  }
}

/** Resolves when the server closes the watch or a pod was deleted: true to watch again, false when the user may not watch. */
async function watchPods(
  call: Invocation,
  namespace: string,
  resourceVersion: string,
  selection: PodSelection,
  follower: LogFollower,
): Promise<boolean> {
  const { signal } = call.world;
  const client = await call.client();
  try {
    for await (const event of client.watch(resources.pods, { namespace, resourceVersion, signal })) {
      if (event.type === 'BOOKMARK' || !(await selection.has(event.object))) continue;
      if (event.type === 'DELETED') return true;
      follower.see(event.object);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isForbidden(error)) return false;
    if (!isGone(error) && !(error instanceof TransportError)) throw error;
  }
  return true;
}

async function exists(call: Invocation, namespace: string, { kind, name }: Target): Promise<boolean> {
  const client = await call.client();
  try {
    await client.get(RAY_TYPES[kind], { namespace, name }, { content: 'metadata' });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    if (error instanceof TransportError) return true;
    throw error;
  }
}

/** One stream for each running container; a stream that breaks is continued where it ended. */
class LogFollower {
  /** Rejects with the first error that ends everything. */
  readonly failure: Promise<never>;
  readonly #call: Invocation;
  readonly #namespace: string;
  readonly #flags: LogsFlags;
  readonly #printer: LogPrinter;
  readonly #fail: (error: unknown) => void;
  readonly #open = new Map<string, Promise<void>>();
  /** Time of the last printed line of each run. */
  readonly #last = new Map<string, string | undefined>();

  constructor(call: Invocation, namespace: string, flags: LogsFlags, printer: LogPrinter) {
    this.#call = call;
    this.#namespace = namespace;
    this.#flags = flags;
    this.#printer = printer;
    const { promise, reject } = Promise.withResolvers<never>();
    this.failure = promise;
    this.failure.catch(() => undefined);
    this.#fail = reject;
  }

  get isEmpty(): boolean {
    return this.#last.size === 0;
  }

  /** Joins the containers of a pod that have a log which is not followed yet. */
  see(pod: Pod): void {
    for (const run of containerRuns(pod, this.#flags.container)) {
      if (run.waitsFor !== undefined || this.#open.has(run.key)) continue;
      // A run that has ended is read once; one that still runs is continued.
      if (this.#last.has(run.key) && !run.isRunning) continue;
      this.#open.set(run.key, this.#follow(run));
    }
  }

  /** Resolves when all streams have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#open.values());
  }

  async #follow(run: ContainerRun): Promise<void> {
    const after = this.#last.get(run.key);
    this.#last.set(run.key, after);
    try {
      const last = await readLog(this.#call, this.#namespace, run, this.#flags, this.#printer, after);
      this.#last.set(run.key, last);
    } catch (error) {
      if (!(error instanceof TransportError)) this.#fail(error);
    } finally {
      this.#open.delete(run.key);
    }
  }
}
