import type { ObjectPreview } from '@manta/insight';
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

/** The plan as Markdown, e.g. for a comment on a pull request. */
export function planMarkdown(previews: readonly ObjectPreview[], rights: readonly string[]): readonly string[] {
  return [
    `**${totalText(previews)}**`,
    ...previews.flatMap((each) => ['', ...objectMarkdown(each)]),
    ...(rights.length === 0 ? [] : ['', rightsText(rights)]),
  ];
}

function objectMarkdown(each: ObjectPreview): readonly string[] {
  const { ref, verdict, problems, changes, steps, resources, ignored } = each;
  const title = `### ${ref.kind} \`${ref.namespace}/${ref.name}\` ${VERDICTS[verdict]}`;
  const changed = verdict === 'create' ? [] : changes.map((change) => `${SIGNS[signOf(change)]} ${changeText(change)}`);
  const body = [
    ...problems.map((text) => `- :x: ${cell(text)}`),
    ...(changed.length === 0 ? [] : ['```diff', ...changed.map((line) => line.replace(/^~/, '!')), '```']),
  ];
  const noEffect = [...ignoredByReason(ignored)].map(
    ([why, paths]) => `- No effect: ${paths.map((path) => `\`${path}\``).join(', ')}: ${why}.`,
  );
  if (verdict === 'nothing' || verdict === 'reject') return [title, '', ...body, ...noEffect];
  return [
    title,
    '',
    ...body,
    ...(steps.length === 0 ? ['', 'The operator changes nothing.'] : ['', ...steps.map(({ text }) => `1. ${text}`)]),
    ...table(POD_COLUMNS, podRows(each)),
    ...table(
      RESOURCE_COLUMNS,
      resources.map(({ resource, before, peak, after }) => [resource, before, peak, after]),
    ),
    '',
    `- Downtime: ${downtimeText(each)}`,
    ...noEffect,
  ];
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return ['', line(columns), line(columns.map(() => '---')), ...rows.map(line)];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
