import { missingRights, tree as treeOf } from '@manta/insight';
import type { Invocation } from '../../invocation.ts';
import { pageStyle } from '../../output/page-style.ts';
import { treeLines } from '../../output/tree-lines.ts';
import { rights } from '../../output/why-lines.ts';
import type { PageFlags } from './page-flags.ts';
import { showPage } from './show-page.ts';

/** `tree [NAME | TYPE/NAME]`: a RayService with its clusters, groups, pods and nodes; RayJobs and RayClusters likewise. */
export async function tree(call: Invocation, text: string | undefined, flags: PageFlags): Promise<void> {
  await showPage(call, text, flags, {
    model: treeOf,
    isFound: (nodes) => nodes.length > 0,
    lines: (nodes, world) => {
      const style = pageStyle(call);
      const shown = nodes.length === 0 ? ['No Ray resources.'] : treeLines(nodes, style);
      return [...shown, ...rights({ missingRights: missingRights(world) }, style)];
    },
  });
}
