import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anchors, type Page, pages, relativeLinks, resolveLink } from './pages.ts';

function isBroken(page: Page, target: string): boolean {
  const { file, heading } = resolveLink(page, target);
  if (!existsSync(file)) return true;
  if (heading === '' || statSync(file).isDirectory()) return false;
  return file.endsWith('.md') && !anchors(readFileSync(file, 'utf8')).has(heading);
}

describe('the links of the documentation', () => {
  const linked = pages().filter((page) => relativeLinks(page).length > 0);

  it.each(linked.map((page) => [page.path, page] as const))('%s: lead to existing files and headings', (_, page) => {
    expect(relativeLinks(page).filter((target) => isBroken(page, target))).toEqual([]);
  });

  it('to a missing file or heading are found', () => {
    const page = { path: 'docs/page.md', text: '[a](nowhere.md) [b](#no-such) [c](../README.md#manta)\n# Here\n' };
    expect(relativeLinks(page)).toEqual(['nowhere.md', '#no-such', '../README.md#manta']);
    expect(isBroken(page, 'nowhere.md')).toBe(true);
    expect(isBroken(page, '../README.md#no-such')).toBe(true);
    expect(isBroken(page, '../README.md#manta')).toBe(false);
  });
});

describe('the anchors of headings', () => {
  it('are like GitHub makes them', () => {
    expect([...anchors('# A `code` & more\n```sh\n# comment\n```\n## [Link](x.md): two_words\n')]).toEqual([
      'a-code--more',
      'link-two_words',
    ]);
  });
});
