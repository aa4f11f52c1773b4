import { LineCounter, parseAllDocuments } from 'yaml';
import { CliError, messageOf, usageError } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';
import { paintFor } from '../../live/colors.ts';
import { checkObject, type Finding, isRayObject, isRecord, type JsonRecord, textAt } from './check-object.ts';
import { locate } from './locate.ts';
import { type ManifestFile, readManifests } from './read-manifests.ts';

export interface ValidateFlags {
  readonly filename: readonly string[];
  readonly output?: string;
}

/** A finding and its place. */
export interface Problem extends Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `RayJob train` */
  readonly object: string;
}

interface Checked {
  readonly problems: readonly Problem[];
  readonly rayObjects: number;
  readonly others: readonly string[];
}

/** `validate -f FILE…`: checks Ray manifests offline, with file, line and column. Exit code 1 when one is invalid. */
export async function validate(call: Invocation, flags: ValidateFlags): Promise<void> {
  if (flags.output !== undefined && flags.output !== 'json' && flags.output !== 'text')
    throw usageError(`-o ${flags.output} is not an output format here. Use text or json.`);
  const files = await readManifests(call, flags.filename);
  const checked = files.map(checkFile);
  const problems = checked.flatMap((one) => one.problems);
  const rayObjects = checked.reduce((sum, one) => sum + one.rayObjects, 0);
  const others = checked.flatMap((one) => one.others);
  if (flags.output === 'json') call.print(JSON.stringify(problems, null, 2));
  else printProblems(call, problems);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (others.length > 0) call.say(`Not checked, because only Ray kinds are: ${[...new Set(others)].join(', ')}`);
  if (errors > 0) throw new CliError(`${errors} ${errors === 1 ? 'error' : 'errors'} in ${rayObjects} Ray objects.`);
  if (rayObjects === 0) throw usageError(`no Ray object is in ${flags.filename.join(', ')}.`);
  if (flags.output !== 'json') call.print(`${rayObjects} Ray ${rayObjects === 1 ? 'object is' : 'objects are'} valid.`);
}

function printProblems(call: Invocation, problems: readonly Problem[]): void {
  const paint = paintFor(call.world, call.world.stdout, call.flags);
  for (const { file, line, column, severity, object, field, message } of problems) {
    const label = paint(severity === 'error' ? 'red' : 'yellow', severity);
    const subject = [object, message.startsWith(field) ? '' : field].filter((part) => part !== '').join(': ');
    call.print(
      `${paint('bold', `${file}:${line}:${column}`)}: ${label}: ${subject === '' ? '' : `${subject}: `}${message}`,
    );
  }
}

/** Checks all documents of a file. */
export function checkFile({ name, text }: ManifestFile): Checked {
  const lines = new LineCounter();
  const problems: Problem[] = [];
  const others: string[] = [];
  let rayObjects = 0;
  const parsed = parseAllDocuments(text, { lineCounter: lines });
  for (const document of Array.isArray(parsed) ? parsed : []) {
    const [broken] = document.errors;
    if (broken !== undefined) {
      const [{ line, col }] = broken.linePos ?? [{ line: 1, col: 1 }];
      const message = broken.message.split('\n', 1)[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? '';
      problems.push({ file: name, line, column: col, severity: 'error', object: '', field: '', message });
      continue;
    }
    const at = (field: string) => ({ file: name, ...locate(document, lines, field) });
    let value: unknown;
    try {
      value = document.toJS();
    } catch (error) {
      problems.push({ ...at(''), severity: 'error', object: '', field: '', message: messageOf(error) });
      continue;
    }
    if (value === null || value === undefined) continue;
    for (const { object, prefix } of objectsOf(value)) {
      if (!isRayObject(object)) {
        others.push(
          isRecord(object) && typeof object['kind'] === 'string' ? object['kind'] : 'something without a kind',
        );
        continue;
      }
      rayObjects += 1;
      const label = `${textAt(object, 'kind')} ${nameOf(object)}`.trim();
      for (const finding of checkObject(object))
        problems.push({ ...finding, ...at(prefix + finding.field), object: label });
    }
  }
  return { problems, rayObjects, others };
}

/** The objects of a document: itself, or the items of a List. */
function objectsOf(value: unknown): readonly { readonly object: unknown; readonly prefix: string }[] {
  const isList = isRecord(value) && textAt(value, 'kind').endsWith('List') && Array.isArray(value['items']);
  if (!isList) return [{ object: value, prefix: '' }];
  const items: unknown = value['items'];
  return Array.isArray(items) ? items.map((object: unknown, index) => ({ object, prefix: `items[${index}].` })) : [];
}

function nameOf(object: JsonRecord): string {
  const { metadata } = object;
  const name = isRecord(metadata) ? (metadata['name'] ?? metadata['generateName']) : undefined;
  return typeof name === 'string' ? name : '';
}
