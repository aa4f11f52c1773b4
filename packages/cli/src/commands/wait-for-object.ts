import type { KubeObject } from '@manta/api';
import { ApiError, isGone, isNotFound, type ObjectRef, type ResourceType, TransportError } from '@manta/kube';
import { wait } from '@manta/ray';
import { CliError, ExitCode } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';

export interface WaitOptions<T> {
  readonly isDone: (object: T) => boolean;
  /** Absent waits until Ctrl-C. */
  readonly timeoutMs?: number;
  readonly timeoutMessage: string;
  /** Called with each version of the object that is not done yet. */
  readonly onChange?: (object: T) => void;
  /** The object may not exist yet: it is waited for, not missed. */
  readonly mayAppear?: boolean;
}

/** Pause before the next try after the server closed the watch or could not be reached. */
const RETRY_MS = 1000;

/**
 * Waits until an object is as wanted, by a watch that is opened again whenever the server closes it. Rejects when the object does not
 * exist, with exit code 3 when the time is over, and with the signal's reason on Ctrl-C.
 */
export async function waitForObject<T extends KubeObject>(
  call: Invocation,
  type: ResourceType<T>,
  ref: ObjectRef,
  options: WaitOptions<T>,
): Promise<T> {
  const { clock, signal } = call.world;
  const timeout = new AbortController();
  const { timeoutMs, timeoutMessage } = options;
  const cancel = timeoutMs === undefined ? () => undefined : clock.setTimer(timeoutMs, () => timeout.abort());
  const either = AbortSignal.any([signal, timeout.signal]);
  try {
    for (let tries = 0; ; tries++) {
      const done = await watchUntilDone(call, type, ref, options, either).catch((error: unknown) => {
        // A server that cannot be reached at all is an error; one that restarts during the wait is waited for.
        if (tries === 0 || either.aborted || !isPassing(error)) throw error;
        return undefined;
      });
      if (done !== undefined) return done;
      await wait(clock, RETRY_MS, either);
    }
  } catch (error) {
    if (timeout.signal.aborted && !signal.aborted)
      throw new CliError(timeoutMessage, ExitCode.NotReady, { cause: error });
    throw error;
  } finally {
    cancel();
  }
}

async function watchUntilDone<T extends KubeObject>(
  call: Invocation,
  type: ResourceType<T>,
  { namespace, name }: ObjectRef,
  { isDone, onChange, mayAppear }: WaitOptions<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const client = await call.client();
  const current = await client.get(type, { namespace, name }, { signal }).catch((error: unknown) => {
    if (mayAppear === true && isNotFound(error)) return undefined;
    throw error;
  });
  if (current === undefined) return undefined;
  if (isDone(current)) return current;
  onChange?.(current);
  const resourceVersion = current.metadata?.resourceVersion;
  const fieldSelector = `metadata.name=${name}`;
  try {
    for await (const event of client.watch(type, { namespace, fieldSelector, resourceVersion, signal })) {
      if (event.type === 'BOOKMARK') continue;
      if (event.type === 'DELETED')
        throw new CliError(`${type.kind} ${namespace}/${name} was deleted while waiting for it`);
      if (isDone(event.object)) return event.object;
      onChange?.(event.object);
    }
  } catch (error) {
    if (!isPassing(error) || signal.aborted) throw error;
  }
  return undefined;
}

function isPassing(error: unknown): boolean {
  return isGone(error) || error instanceof TransportError || (error instanceof ApiError && error.code >= 500);
}
