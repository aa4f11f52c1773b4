import { createReadStream, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerRunner } from '../pods/container-runner.ts';

const FOLLOW_MS = 100;

/** Takes what a container has said; resolves when it can take more. */
export type Sink = (chunk: Buffer) => Promise<void>;

/** Streams a container's new output until it ends or the client leaves. */
export async function followOutput(
  container: Pick<ContainerRunner, 'output' | 'process'>,
  path: string,
  from: number,
  listener: AbortSignal,
  sink: Sink,
  kept?: () => number,
): Promise<void> {
  let at: number | undefined = from;
  for (let isOver = false; !isOver && !listener.aborted; ) {
    isOver = container.process === undefined || container.output(false) !== path;
    at = await readOutput(path, at, listener, sink, kept);
    // A deleted pod's output is deleted with it.
    if (at === undefined) return;
    if (!isOver) await sleep(FOLLOW_MS);
  }
}

/**
 * Passes on the file's content from an offset on while somebody listens. Returns the offset of the end; undefined if the file is gone. A file that has
 * become shorter is read from its beginning. What is before `kept` is skipped: its space on the disk may have been freed.
 */
export async function readOutput(
  path: string,
  from: number,
  listener: AbortSignal,
  sink: Sink,
  kept: () => number = () => 0,
): Promise<number | undefined> {
  try {
    const { size } = statSync(path);
    let offset = Math.max(size < from ? 0 : from, kept());
    if (size <= offset) return size < from ? size : from;
    for await (const chunk of createReadStream(path, { start: offset, end: size - 1 })) {
      const whole: Buffer = chunk;
      const lost = Math.min(whole.length, Math.max(0, kept() - offset));
      offset += whole.length;
      if (lost < whole.length) await sink(whole.subarray(lost));
      if (listener.aborted) break;
    }
    return size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
