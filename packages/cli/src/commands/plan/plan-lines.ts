import type { ObjectPreview } from '@manta/insight';
import { fitLine } from '../../live/fit-line.ts';
import { tableLines } from '../../output/table.ts';
import type { PageStyle } from '../../output/why-lines.ts';
import { wrap } from '../../output/wrap.ts';
import {
  changeText,
  downtimeText,
  ignoredByReason,
  POD_COLUMNS,
  podRows,
  RESOURCE_COLUMNS,
  rightsText,
  SIGNS,
  signOf,
  totalText,
  VERDICTS,
} from './plan-text.ts';

const COLORS = { nothing: 'green', create: 'green', change: 'yellow', reject: 'red' } as const;
const SIGN_COLORS = { added: 'green', removed: 'red', changed: 'yellow' } as const;
/** A new object has all its fields changed: they are in the manifest already. */
const MOST_CHANGES = 20;

/** The plan as a page for people: each object with its changes, steps and costs, and one line about all at the end. */
export function planLines(
  previews: readonly ObjectPreview[],
  rights: readonly string[],
  style: PageStyle,
): readonly string[] {
  const rightsLines = rights.length === 0 ? [] : ['', ...wrap(rightsText(rights), style.columns)];
  return [
    ...previews.flatMap((each) => [...objectLines(each, style), '']),
    style.paint('bold', totalText(previews)),
    ...rightsLines,
  ];
}

function objectLines(each: ObjectPreview, style: PageStyle): readonly string[] {
  const { ref, verdict, problems, steps, resources, ignored } = each;
  const { columns, paint } = style;
  const title = `${ref.kind} ${ref.namespace}/${ref.name} ${VERDICTS[verdict]}`;
  const problemLines = problems.flatMap((text) =>
    wrap(`✗ ${text}`, columns - 2, '  ').map((line) => `  ${paint('red', line)}`),
  );
  const first = [paint([COLORS[verdict], 'bold'], title), ...problemLines, ...changeLines(each, style)];
  if (verdict === 'nothing' || verdict === 'reject') return [...first, ...ignoredLines(each, style)];
  const isIdle = steps.length === 0;
  return [
    ...first,
    '',
    ...(isIdle ? ['  The operator changes nothing.'] : stepLines(each, style)),
    ...tableSection(POD_COLUMNS, podRows(each), style),
    ...tableSection(
      RESOURCE_COLUMNS,
      resources.map(({ resource, before, peak, after }) => [resource, before, peak, after]),
      style,
    ),
    '',
    ...labelled('Downtime', downtimeText(each), style, each.downtime.kind === 'none' ? 'green' : 'red'),
    ...(ignored.length === 0 ? [] : ignoredLines(each, style)),
  ];
}

function changeLines({ changes, verdict }: ObjectPreview, { columns, paint }: PageStyle): readonly string[] {
  if (verdict === 'create') return [];
  const lines = changes.slice(0, MOST_CHANGES).map((change) => {
    const sign = signOf(change);
    return fitLine(`  ${paint(SIGN_COLORS[sign], SIGNS[sign])} ${changeText(change)}`, columns);
  });
  const more = changes.length - lines.length;
  return more > 0 ? [...lines, `    and ${more} more fields`] : lines;
}

function stepLines({ steps }: ObjectPreview, { columns, paint }: PageStyle): readonly string[] {
  const width = String(steps.length).length;
  return [
    paint('bold', '  Steps'),
    ...steps.flatMap(({ text }, index) =>
      wrap(`${String(index + 1).padStart(width)}. ${text}`, columns - 4, ' '.repeat(width + 2)).map(
        (line) => `    ${line}`,
      ),
    ),
  ];
}

function tableSection(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  style: PageStyle,
): readonly string[] {
  if (rows.length === 0) return [];
  const [head = '', ...lines] = tableLines({ columns, rows });
  return [
    '',
    `  ${style.paint('dim', head.trimEnd())}`,
    ...lines.map((line) => fitLine(`  ${line.trimEnd()}`, style.columns)),
  ];
}

function ignoredLines({ ignored }: ObjectPreview, style: PageStyle): readonly string[] {
  return [...ignoredByReason(ignored)].flatMap(([why, paths]) => [
    ...labelled('No effect', `${paths.join(', ')}: ${why}.`, style, 'yellow'),
  ]);
}

const LABEL = 13;

function labelled(
  label: string,
  text: string,
  { columns, paint }: PageStyle,
  color: 'green' | 'yellow' | 'red',
): readonly string[] {
  return wrap(text, columns - LABEL).map(
    (line, index) => `${index === 0 ? paint(color, `  ${label.padEnd(LABEL - 2)}`) : ' '.repeat(LABEL)}${line}`,
  );
}
