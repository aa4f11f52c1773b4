import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../../..');

/** One Markdown page of the repository, with its text outside of fenced code blocks. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** Every page that users read. */
export function pages(): readonly Page[] {
  const files = [
    ...globSync('*.md', { cwd: ROOT }),
    ...globSync('{docs,deploy,samples,bench}/**/*.md', { cwd: ROOT }),
  ].toSorted();
  return files.map((path) => ({ path, text: withoutFences(readFileSync(join(ROOT, path), 'utf8')) }));
}

export function withoutFences(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '');
}

/** The targets of links and images to files of the repository. */
export function relativeLinks({ text }: Page): readonly string[] {
  const links = [...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
  return links.filter((target) => !/^[a-z]+:/.test(target));
}

/** The file and the heading that a link leads to. */
export function resolveLink(page: Page, target: string): { readonly file: string; readonly heading: string } {
  const [file = '', heading = ''] = target.split('#');
  return { file: file === '' ? join(ROOT, page.path) : join(ROOT, dirname(page.path), file), heading };
}

/** The anchors that GitHub makes of a page's headings. */
export function anchors(markdown: string): ReadonlySet<string> {
  const headings = [...withoutFences(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => title);
  return new Set(headings.map(anchor));
}

function anchor(title: string): string {
  const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
  return plain
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** The cells of all tables of a page, with links as readers see them. */
export function tableCells({ text }: Page): readonly string[] {
  const visible = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const rows = visible.split('\n').filter((line) => line.startsWith('|'));
  return rows.flatMap((row) => row.split(/(?<!\\)\|/).slice(1, -1)).map((cell) => cell.trim());
}
