import { isGone, type ResourceType } from '@manta/kube';
import { wait } from '@manta/ray';
import type { Invocation } from '../invocation.ts';
import type { GetFlags } from './get-flags.ts';

interface Watched {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
}

/** Debounce: a burst of changes prints once. */
const SETTLE_MS = 500;

/** Prints what `read` gives; with `--watch` again after each change of the watched objects, until Ctrl-C. */
export async function showAndWatch(
  call: Invocation,
  flags: GetFlags,
  watched: Watched,
  read: () => Promise<string>,
): Promise<void> {
  let shown: string | undefined;
  const show = async () => {
    const next = await read();
    if (next !== shown && next !== '') call.print(next);
    shown = next;
  };
  if (flags.watch !== true) {
    await show();
    return;
  }
  const { signal, clock } = call.world;
  while (!signal.aborted) {
    // The version comes first: a change after it, also one during the read, ends the watch at once.
    const resourceVersion = await currentVersion(call, flags, watched);
    await show();
    await waitForChange(call, flags, watched, resourceVersion);
    if (!signal.aborted) await wait(clock, SETTLE_MS);
  }
}

async function currentVersion(
  call: Invocation,
  flags: GetFlags,
  { type, namespace }: Watched,
): Promise<string | undefined> {
  const client = await call.client();
  const { metadata } = await client.list(type, {
    namespace,
    labelSelector: flags.selector,
    limit: 1,
    content: 'metadata',
  });
  return metadata.resourceVersion;
}

/** Resolves when one of the objects changed, when the server closed the watch, or on Ctrl-C. */
async function waitForChange(
  call: Invocation,
  flags: GetFlags,
  { type, namespace }: Watched,
  resourceVersion: string | undefined,
): Promise<void> {
  const client = await call.client();
  const { signal } = call.world;
  const options = { namespace, labelSelector: flags.selector, resourceVersion, content: 'metadata', signal } as const;
  try {
    for await (const _ of client.watch(type, options)) return;
  } catch (error) {
    if (!signal.aborted && !isGone(error)) throw error;
  }
}
