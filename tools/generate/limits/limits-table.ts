import * as base from '@manta/base';

/** One limit: its name, its value for people, and why it is what it is. */
interface Row {
  readonly name: string;
  readonly value: string;
  readonly reason: string;
}

const INTRO = `# Limits for input from outside

Everything that comes from outside a process is bounded: Ray heads, pods, API clients, webhooks, kubeconfigs and YAML. The numbers are in
\`packages/base/src/limits.ts\`; this page is made from that file by \`npm run limits\`, and \`tests/repository/limits.test.ts\` fails when the two differ.
Input beyond a limit is refused with a message that names the limit and the refused value. None of the limits is an option.
`;

/** The page: a table for each group of limits in the source. */
export function limitsPage(source: string): string {
  const groups = [
    ...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+_LIMITS) = (\{[\s\S]*?\n\}) as const;/g),
  ];
  const sections = groups.map(([, comment = '', name = '', body = '']) => {
    const rows = rowsOf(name, valuesOf(name), reasonsIn(body));
    const lines = rows.map(({ name: limit, value, reason }) => `| \`${limit}\` | ${value} | ${reason} |`);
    return `## ${name}\n\n${textOf(comment)}\n\n| Limit | Value | Reason |\n| --- | --- | --- |\n${lines.join('\n')}\n`;
  });
  return [INTRO, ...sections].join('\n');
}

/** The names of all groups that the module exports. */
export function groupNames(): readonly string[] {
  return Object.keys(base).filter((name) => name.endsWith('_LIMITS'));
}

function valuesOf(name: string): object {
  const found = Object.entries(base).find(([each]) => each === name)?.[1];
  if (typeof found !== 'object') throw new Error(`${name} is not exported by @manta/base`);
  return found;
}

function rowsOf(prefix: string, values: object, reasons: ReadonlyMap<string, string>, path = ''): readonly Row[] {
  return Object.entries(values).flatMap(([key, value]: [string, unknown]) => {
    const [name, at] = [`${prefix}.${key}`, path === '' ? key : `${path}.${key}`];
    if (typeof value === 'object' && value !== null) return rowsOf(name, value, reasons, at);
    return [{ name, value: shown(at, Number(value)), reason: reasons.get(at) ?? '' }];
  });
}

/** The comment above each member, by its path within the group. */
function reasonsIn(body: string): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  const path: string[] = [];
  for (const [, comment, key, opens, closes] of body.matchAll(
    /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?(?:^\s*(\w+): (\{\s*$)?|^\s*(\}),$)/gm,
  )) {
    if (closes !== undefined) path.pop();
    if (key === undefined) continue;
    if (opens !== undefined) path.push(key);
    else reasons.set([...path, key].join('.'), textOf(comment ?? ''));
  }
  return reasons;
}

function textOf(comment: string): string {
  return comment
    .replaceAll(/\s*\n\s*\*\s*/g, ' ')
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .trim();
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** A value in the unit that its name tells. */
function shown(path: string, value: number): string {
  const key = path.split('.').find((part) => part.endsWith('Bytes')) ?? path;
  if (/bytes(?:PerSecond)?$/i.test(key)) {
    const unit = key.endsWith('PerSecond') ? '/s' : '';
    if (value >= MIB) return `${value / MIB} MiB${unit}`;
    return value >= KIB ? `${value / KIB} KiB${unit}` : `${value} B${unit}`;
  }
  if (path.endsWith('Ms')) return value >= 1000 ? `${value / 1000} s` : `${value} ms`;
  return value.toLocaleString('en-US');
}
