import { type Cause, refText, type Why } from '@manta/insight';
import type { Paint } from '../live/colors.ts';
import { fitLine } from '../live/fit-line.ts';
import { wrap } from './wrap.ts';

export interface PageStyle {
  readonly columns: number;
  readonly paint: Paint;
}

const LABEL = 12;

/** The answer of `why` as lines: the cause first, then the way down to it, where it was read, and what to do. */
export function whyLines(why: Why, style: PageStyle): readonly string[] {
  const { ref, health, cause, chain, others } = why;
  const name = `${ref.kind} ${ref.namespace}/${ref.name}`;
  if (cause === undefined) return [...verdict(style, 'green', '✓', `${name} is healthy.`), ...rights(why, style)];
  const isWaiting = health === 'progressing';
  const first = `${name}: ${cause.code}: ${cause.sentence}.`;
  return [
    ...verdict(style, isWaiting ? 'yellow' : 'red', isWaiting ? '…' : '✗', first),
    '',
    ...chainLines(why, style),
    ...output(cause, style),
    '',
    ...cause.evidence.flatMap(({ object, source, text }, index) =>
      labelled(index === 0 ? 'Seen in' : '', `${refText(object)} ${source}${text === '' ? '' : `: ${text}`}`, style),
    ),
    ...labelled(isWaiting ? 'Next' : 'To do', cause.action, style, 'bold'),
    ...others.flatMap((other, index) =>
      labelled(index === 0 ? 'Also' : '', `${other.code}: ${other.sentence}.`, style),
    ),
    ...(chain.length === 0 ? [] : rights(why, style)),
  ];
}

function verdict(
  { columns, paint }: PageStyle,
  color: 'green' | 'yellow' | 'red',
  mark: string,
  text: string,
): readonly string[] {
  return wrap(`${mark} ${text}`, columns, '  ').map((line) => paint([color, 'bold'], line));
}

/** One line a step; the last one holds the cause. */
function chainLines({ chain }: Why, { columns, paint }: PageStyle): readonly string[] {
  return chain.map(({ object, says }, depth) => {
    const branch = depth === 0 ? '  ' : `  ${'   '.repeat(depth - 1)}└─ `;
    return fitLine(`${paint('dim', branch)}${refText(object)}  ${paint('dim', says)}`, columns);
  });
}

function output({ lines = [] }: Cause, { columns, paint }: PageStyle): readonly string[] {
  if (lines.length === 0) return [];
  return ['', ...lines.map((line) => paint('dim', fitLine(`  │ ${line}`, columns)))];
}

function labelled(label: string, text: string, { columns, paint }: PageStyle, format?: 'bold'): readonly string[] {
  const head = `  ${label.padEnd(LABEL - 2)}`;
  return wrap(text, columns - LABEL).map((line, index) => {
    const words = format === undefined ? line : paint(format, line);
    return `${index === 0 ? paint('cyan', head) : ' '.repeat(LABEL)}${words}`;
  });
}

/** One line that names what the user may not read, resources of one scope together. */
export function rights({ missingRights }: Pick<Why, 'missingRights'>, style: PageStyle): readonly string[] {
  if (missingRights.length === 0) return [];
  const byScope = new Map<string, string[]>();
  for (const right of missingRights) {
    const [, resource = right, scope = ''] = /^list (\S+)(.*)$/.exec(right) ?? [];
    byScope.set(scope, [...(byScope.get(scope) ?? []), resource]);
  }
  const parts = [...byScope].map(([scope, names]) => `list ${names.join(', ')}${scope}`);
  return labelled('Not read', `you may not ${parts.join('; nor ')}.`, style);
}
