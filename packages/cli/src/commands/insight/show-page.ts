import type { RayRef, World } from '@manta/insight';
import { wait } from '@manta/ray';
import type { Invocation } from '../../invocation.ts';
import { openLiveView } from '../../live/live-view.ts';
import { collectWorld } from '../../observe/collect-world.ts';
import { notFound } from './not-found.ts';
import { type PageFlags, printData } from './page-flags.ts';
import { readRef } from './ray-ref.ts';

/** How often a live page is drawn. */
const REFRESH_MS = 2_000;

/** What a page shows. */
export interface Page<Model> {
  model(world: World, ref: RayRef | undefined): Model;
  /** False: the named object does not exist. */
  isFound(model: Model): boolean;
  lines(model: Model, world: World): readonly string[];
}

/** Prints a page about one object or about all; with `-w` it is drawn again and again until Ctrl-C or until the object is deleted. */
export async function showPage<Model>(
  call: Invocation,
  text: string | undefined,
  flags: PageFlags,
  page: Page<Model>,
): Promise<void> {
  const ref = text === undefined ? undefined : await readRef(call, text);
  const namespace = ref?.namespace ?? (await call.scope(flags.allNamespaces));
  const look = async () => {
    const world = await collectWorld(call, { namespace, withLogs: ref !== undefined });
    const model = page.model(world, ref);
    if (ref !== undefined && !page.isFound(model)) throw await notFound(call, world, ref);
    return { world, model };
  };
  if (flags.watch !== true || flags.output !== undefined) {
    const { world, model } = await look();
    if (!printData(call, flags, model)) call.print(page.lines(model, world).join('\n'));
    return;
  }
  const { signal, clock } = call.world;
  const first = await look();
  const view = openLiveView(call.world);
  try {
    view.show(page.lines(first.model, first.world));
    while (!signal.aborted) {
      await wait(clock, REFRESH_MS, signal);
      if (signal.aborted) return;
      const { world, model } = await look();
      view.show(page.lines(model, world));
    }
  } finally {
    view.close();
  }
}
