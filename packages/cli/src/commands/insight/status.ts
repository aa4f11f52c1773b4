import { summary } from '@manta/insight';
import type { Invocation } from '../../invocation.ts';
import { pageStyle } from '../../output/page-style.ts';
import { objectLines, overviewLines } from '../../output/status-lines.ts';
import type { PageFlags } from './page-flags.ts';
import { showPage } from './show-page.ts';

/** `status [NAME | TYPE/NAME]`: one page about an object, or about all Ray objects of a namespace. */
export async function status(call: Invocation, text: string | undefined, flags: PageFlags): Promise<void> {
  await showPage(call, text, flags, {
    model: summary,
    isFound: ({ objects }) => objects.length > 0,
    lines: (page) =>
      text === undefined
        ? overviewLines(page, pageStyle(call), flags.allNamespaces === true)
        : objectLines(page, pageStyle(call)),
  });
}
