import { isGone, type ResourceType } from '@manta/kube';
import type { Invocation } from '../invocation.ts';
import type { GetFlags } from './get-flags.ts';

interface Watched {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
}

/** Pause before a watch that the server closed is opened again. */
const REOPEN_MS = 500;

/** Prints what `read` gives; with `--watch` again after each change of the watched objects, until Ctrl-C. */
export async function showAndWatch(
  call: Invocation,
  flags: GetFlags,
  watched: Watched,
  read: () => Promise<string>,
): Promise<void> {
  let shown = await read();
  if (shown !== '') call.print(shown);
  if (flags.watch !== true) return;
  const { signal, clock } = call.world;
  while (!signal.aborted) {
    await waitForChange(call, flags, watched);
    const next = await read();
    if (next !== shown) call.print(next);
    shown = next;
    await new Promise<void>((resolve) => clock.setTimer(REOPEN_MS, resolve));
  }
}

/** Resolves when one of the objects changed, when the server closed the watch, or on Ctrl-C. */
async function waitForChange(call: Invocation, flags: GetFlags, { type, namespace }: Watched): Promise<void> {
  const client = await call.client();
  const { signal } = call.world;
  const labelSelector = flags.selector;
  try {
    const { metadata } = await client.list(type, { namespace, labelSelector, limit: 1, content: 'metadata' });
    const { resourceVersion } = metadata;
    for await (const _ of client.watch(type, {
      namespace,
      labelSelector,
      resourceVersion,
      content: 'metadata',
      signal,
    }))
      return;
  } catch (error) {
    if (!signal.aborted && !isGone(error)) throw error;
  }
}
