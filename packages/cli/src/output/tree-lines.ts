import type { NodeHealth, TreeNode } from '@manta/insight';
import { fitLine } from '../live/fit-line.ts';
import type { PageStyle } from './why-lines.ts';

const MARKS: Readonly<
  Record<NodeHealth, { readonly mark: string; readonly color: 'green' | 'yellow' | 'red' | 'dim' }>
> = {
  ok: { mark: '✓', color: 'green' },
  waiting: { mark: '…', color: 'yellow' },
  bad: { mark: '✗', color: 'red' },
  idle: { mark: '-', color: 'dim' },
};

/** A tree of objects, one a line; lines are cut at the right edge. */
export function treeLines(nodes: readonly TreeNode[], style: PageStyle, margin = ''): readonly string[] {
  return nodes.flatMap((node) => [
    fitLine(`${margin}${nodeText(node, style)}`, style.columns),
    ...branches(node.children, style, margin),
  ]);
}

function branches(children: readonly TreeNode[], style: PageStyle, margin: string): readonly string[] {
  return children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    const line = `${margin}${style.paint('dim', isLast ? '└─ ' : '├─ ')}${nodeText(child, style)}`;
    const below = `${margin}${style.paint('dim', isLast ? '   ' : '│  ')}`;
    return [fitLine(line, style.columns), ...branches(child.children, style, below)];
  });
}

function nodeText({ ref, health, says, role, code }: TreeNode, { paint }: PageStyle): string {
  const { mark, color } = MARKS[health];
  const name = ref.kind === 'group' ? `group ${ref.name}` : `${ref.kind}/${ref.name}`;
  const notes = [role, says].filter((part) => part !== undefined && part !== '').join(', ');
  return [paint(color, mark), name, paint('dim', notes), code === undefined ? '' : paint('red', code)]
    .filter((part) => part !== '')
    .join(' ');
}
