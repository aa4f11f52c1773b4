import { sharedCrds } from '@manta/api/crds';
import { CliError } from '../../cli-error.ts';
import { editDistance } from '../../edit-distance.ts';
import type { Invocation } from '../../invocation.ts';
import { paintFor } from '../../live/colors.ts';
import { isRecord, type JsonRecord, rawSchemaOf } from './check-object.ts';

const WIDTH = 100;

/** `explain FIELD`: what a field of a Ray kind means, e.g. `explain rayjob.spec.backoffLimit`. Needs no server. */
export function explain(call: Invocation, path: string): void {
  const [first = '', ...steps] = path.split('.').map((step) => step.replaceAll(/\[\d*\]/g, ''));
  const kind = kindOf(first);
  let node: unknown = rawSchemaOf(kind);
  for (const [index, step] of steps.entries()) {
    const fields = fieldsOf(node);
    if (fields[step] === undefined) throw unknownField([kind, ...steps.slice(0, index)].join('.'), step, fields);
    node = fields[step];
  }
  const paint = paintFor(call.world, call.world.stdout, call.flags);
  const heading = (text: string) => paint('bold', text);
  const lines = [
    `${heading('KIND')}:   ${kind} (ray.io/v1)`,
    ...(steps.length > 0 ? [`${heading('FIELD')}:  ${steps.join('.')} <${typeOf(node)}>`] : []),
    ...facets(node),
    '',
    ...wrapped(textOf(node, 'description') || 'No description.', '  '),
  ];
  const fields = Object.entries(fieldsOf(node)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const required = isRecord(node) && Array.isArray(node['required']) ? node['required'] : [];
  if (fields.length > 0) lines.push('', `${heading('FIELDS')}:`);
  for (const [name, field] of fields) {
    const mark = required.includes(name) ? ' (required)' : '';
    lines.push(`  ${paint('cyan', name)} <${typeOf(field)}>${mark}`);
    lines.push(...wrapped(firstSentence(textOf(field, 'description')), '      '));
  }
  call.print(lines.join('\n'));
}

function kindOf(text: string): string {
  const names = sharedCrds().map(({ spec }) => spec.names);
  const wanted = text.toLowerCase();
  const found = names.find(({ kind, plural }) => kind.toLowerCase() === wanted || plural === wanted);
  if (found !== undefined) return found.kind;
  throw new CliError(
    `${text || '(nothing)'} is not a Ray kind. Use e.g. kubectl ray explain rayjob.spec; kinds: ${names.map(({ kind }) => kind).join(', ')}.`,
  );
}

function unknownField(parent: string, name: string, fields: JsonRecord): CliError {
  const names = Object.keys(fields).toSorted((a, b) => editDistance(name, a) - editDistance(name, b));
  const hint = names.length === 0 ? 'It has no fields.' : `The closest are: ${names.slice(0, 3).join(', ')}.`;
  return new CliError(`${parent} has no field ${name}. ${hint}`);
}

/** The fields of an object, of the items of a list, or of the values of a map. */
function fieldsOf(node: unknown): JsonRecord {
  if (!isRecord(node)) return {};
  if (isRecord(node['properties'])) return node['properties'];
  return isRecord(node['items']) ? fieldsOf(node['items']) : fieldsOf(node['additionalProperties']);
}

function typeOf(node: unknown): string {
  if (!isRecord(node)) return 'any';
  if (node['x-kubernetes-int-or-string'] === true) return 'integer or string';
  const type = textOf(node, 'type');
  if (type === 'array') return `[]${typeOf(node['items'])}`;
  if (isRecord(node['additionalProperties'])) return `map[string]${typeOf(node['additionalProperties'])}`;
  return type || 'any';
}

function facets(node: unknown): readonly string[] {
  if (!isRecord(node)) return [];
  const shown = [
    ['ENUM', Array.isArray(node['enum']) ? node['enum'].map(String).join(', ') : undefined],
    ['DEFAULT', node['default'] === undefined ? undefined : JSON.stringify(node['default'])],
    ['MINIMUM', node['minimum']],
    ['MAXIMUM', node['maximum']],
  ] as const;
  return shown.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`],
  );
}

function textOf(node: unknown, field: string): string {
  const value = isRecord(node) ? node[field] : undefined;
  return typeof value === 'string' ? value : '';
}

function firstSentence(text: string): string {
  return /^.*?[.!](?=\s|$)/s.exec(text)?.[0] ?? text;
}

function wrapped(text: string, indent: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    if (line !== '' && line.length + word.length + 1 > WIDTH - indent.length) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, indent + line];
}
