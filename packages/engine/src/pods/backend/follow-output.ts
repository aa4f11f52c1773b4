import { createReadStream, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerRunner } from '../kubelet/container-runner.ts';

const FOLLOW_MS = 100;

/** Takes what a container has said; resolves when it can take more. */
export type Sink = (chunk: Buffer) => Promise<void>;

/** Hands on what a container goes on to say until it ends or nobody listens any more. */
export async function followOutput(
  container: Pick<ContainerRunner, 'output' | 'process'>,
  path: string,
  from: number,
  listener: AbortSignal,
  sink: Sink,
): Promise<void> {
  let at: number | undefined = from;
  for (let isOver = false; !isOver && !listener.aborted; ) {
    isOver = container.process === undefined || container.output(false) !== path;
    at = await readOutput(path, at, listener, sink);
    // With a pod that is deleted goes what it has said.
    if (at === undefined) return;
    if (!isOver) await sleep(FOLLOW_MS);
  }
}

/** Hands on what a file holds from a place on while somebody listens; the place where that ended, undefined where the file is gone. */
export async function readOutput(
  path: string,
  from: number,
  listener: AbortSignal,
  sink: Sink,
): Promise<number | undefined> {
  try {
    const { size } = statSync(path);
    if (size <= from) return from;
    for await (const chunk of createReadStream(path, { start: from, end: size - 1 })) {
      await sink(chunk);
      if (listener.aborted) break;
    }
    return size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
