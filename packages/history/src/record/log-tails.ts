import { podLogs, type Transport } from '@manta/kube';
import type { Logger } from '@manta/runtime';
import type { LogEntry } from '../store/entries.ts';
import type { LogTarget } from './pod-entry.ts';

/** Lines that are kept of each container, and a limit for lines of any length. */
const LINES = 200;
const BYTES = 256 * 1024;
/** Requests under way, and containers that may wait for one. */
const PARALLEL = 4;
const WAITING = 2_000;
const TIMEOUT_MS = 10_000;

export interface PodName {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

export interface LogTailOptions {
  readonly transport: Transport;
  readonly now: () => number;
  readonly log: Logger;
  readonly onLog: (entry: LogEntry) => void;
  /** Called once for each container whose log could not be read. */
  readonly onMissed: () => void;
}

/** Reads the last lines of containers in the background, a few at a time. */
export class LogTails {
  readonly #options: LogTailOptions;
  readonly #waiting = new Map<string, () => Promise<void>>();
  /** Containers whose complete log was read: it does not change any more. */
  readonly #finished = new Set<string>();
  #running = 0;

  constructor(options: LogTailOptions) {
    this.#options = options;
  }

  /** Asks for a container's last lines. `isFinal`: the container has ended, so one successful read is enough. */
  want(pod: PodName, target: LogTarget, isFinal: boolean, signal: AbortSignal): void {
    const key = `${pod.uid}/${target.container}/${target.restart}`;
    if (this.#finished.has(key)) return;
    if (!this.#waiting.has(key) && this.#waiting.size >= WAITING) {
      this.#options.onMissed();
      return;
    }
    this.#waiting.set(key, async () => {
      if (!(await this.#read(pod, target, signal))) this.#options.onMissed();
      else if (isFinal) this.#finished.add(key);
    });
    this.#startNext();
  }

  /** Drops what is remembered of a deleted pod. */
  forget(podUid: string): void {
    for (const key of this.#finished) if (key.startsWith(`${podUid}/`)) this.#finished.delete(key);
  }

  #startNext(): void {
    while (this.#running < PARALLEL) {
      const [next] = this.#waiting;
      if (next === undefined) return;
      const [key, read] = next;
      this.#waiting.delete(key);
      this.#running++;
      void read().finally(() => {
        this.#running--;
        this.#startNext();
      });
    }
  }

  async #read(pod: PodName, { container, restart, isPrevious }: LogTarget, signal: AbortSignal): Promise<boolean> {
    const { transport, now, log, onLog } = this.#options;
    try {
      const chunks: Uint8Array[] = [];
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      for await (const chunk of podLogs(transport, {
        namespace: pod.namespace,
        pod: pod.name,
        container,
        tailLines: LINES,
        limitBytes: BYTES,
        previous: isPrevious,
        signal: limit,
      }))
        chunks.push(chunk);
      const text = Buffer.concat(chunks).toString('utf8');
      onLog({ kind: 'log', podUid: pod.uid, container, restart, at: now(), text });
      return true;
    } catch (error) {
      // The pod may be deleted already, or its node unreachable: what is known of the end stays without its log.
      if (!signal.aborted)
        log.debug('could not read the last lines of a container', {
          namespace: pod.namespace,
          pod: pod.name,
          container,
          error: error instanceof Error ? error.message : String(error),
        });
      return false;
    }
  }
}
