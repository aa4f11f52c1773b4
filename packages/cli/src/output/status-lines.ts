import { humanDuration } from '@manta/api';
import type { ObjectSummary, Summary } from '@manta/insight';
import { fitLine } from '../live/fit-line.ts';
import { tableLines } from './table.ts';
import { treeLines } from './tree-lines.ts';
import { type PageStyle, rights, whyLines } from './why-lines.ts';

/** The page about one object: its health and cause, then its parts, conditions and resources. */
export function objectLines(page: Summary, style: PageStyle): readonly string[] {
  const [object] = page.objects;
  if (object === undefined) return [];
  const { why, says, ageMs, conditions, parts } = object;
  const heading = (text: string) => ['', style.paint('bold', text)];
  return [
    ...whyLines({ ...why, missingRights: [] }, style),
    ...heading('State'),
    fitLine(`  ${says}; created ${humanDuration(ageMs)} ago`, style.columns),
    ...conditions.map((text) => fitLine(`  ${text}`, style.columns)),
    ...(parts.length === 0 ? [] : [...heading('Parts'), ...treeLines(parts, style, '  ')]),
    ...heading('Resources of the Ray pods'),
    ...resourceLines(page).map((line) => `  ${line}`),
    ...rights(page, style),
  ];
}

function resourceLines({ resources }: Summary): readonly string[] {
  const rows = resources.map(({ resource, requested, waiting, allocatable }) => [
    resource,
    requested,
    waiting,
    allocatable ?? '?',
  ]);
  return tableLines({ columns: ['Resource', 'Requested', 'Waiting', 'On nodes'], rows });
}

const MARKS = { healthy: '✓', progressing: '…', unhealthy: '✗', gone: '-' } as const;
const COLORS = { healthy: 'green', progressing: 'yellow', unhealthy: 'red', gone: 'dim' } as const;

/** The page about everything: one line an object, problems first, each with its cause. */
export function overviewLines(page: Summary, style: PageStyle, isWide: boolean): readonly string[] {
  const { objects } = page;
  if (objects.length === 0) return ['No Ray resources.', ...rights(page, style)];
  const bad = objects.filter(({ why }) => why.health === 'unhealthy').length;
  const verdict =
    bad === 0
      ? style.paint(['green', 'bold'], `All ${objects.length} Ray resources are healthy or on their way.`)
      : style.paint(['red', 'bold'], `${bad} of ${objects.length} Ray resources need attention.`);
  const width = Math.max(...objects.map((object) => nameOf(object, isWide).length));
  return [
    verdict,
    '',
    ...objects.flatMap((object) => overviewLine(object, width, style, isWide)),
    '',
    ...resourceLines(page),
    ...rights(page, style),
  ];
}

function nameOf({ ref }: ObjectSummary, isWide: boolean): string {
  return `${ref.kind.toLowerCase()}/${ref.name}${isWide ? ` (${ref.namespace})` : ''}`;
}

function overviewLine(
  object: ObjectSummary,
  width: number,
  { columns, paint }: PageStyle,
  isWide: boolean,
): readonly string[] {
  const { why, says, ageMs } = object;
  const mark = paint(COLORS[why.health], MARKS[why.health]);
  const first = `${mark} ${nameOf(object, isWide).padEnd(width)}  ${says}, ${humanDuration(ageMs)} old`;
  const { cause } = why;
  if (cause === undefined || why.health === 'healthy') return [fitLine(first, columns)];
  return [fitLine(first, columns), fitLine(paint(COLORS[why.health], `    ${cause.code}: ${cause.sentence}`), columns)];
}
