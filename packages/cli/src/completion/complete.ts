import type { Command, Option } from 'commander';
import { Label } from '@manta/api';
import { resources } from '@manta/kube';
import type { Invocation } from '../invocation.ts';
import { ALL_KINDS, RAY_TYPES, type RayKind } from '../target.ts';

/** Kubectl reads this as: offer the words, and no file names. */
const NO_FILES = ':4';
/** Kubectl reads this as: let the shell offer file names. */
const FILES = ':0';

interface Suggestions {
  readonly words: readonly string[];
  readonly directive: string;
}

/**
 * Prints completions in the way that kubectl expects of `kubectl_complete-ray`: a word on each line, then a directive. `args` are the
 * words so far; the last one, possibly empty, is being typed.
 */
export async function printCompletions(call: Invocation, program: Command, args: readonly string[]): Promise<void> {
  const { words, directive } = await complete(call, program, args).catch(() => ({ words: [], directive: NO_FILES }));
  call.print([...words, directive].join('\n'));
}

const CONNECTION_FLAGS: readonly (readonly [RegExp, string])[] = [
  [/^(?:-n|--namespace)$/, 'namespace'],
  [/^--context$/, 'context'],
  [/^--kubeconfig$/, 'kubeconfig'],
];

/** Names come from the server and namespace that the words so far select. */
export function takeConnectionFlags(program: Command, words: readonly string[]): void {
  for (const [index, word] of words.slice(0, -2).entries())
    for (const [flag, name] of CONNECTION_FLAGS) if (flag.test(word)) program.setOptionValue(name, words[index + 1]);
}

async function complete(call: Invocation, program: Command, args: readonly string[]): Promise<Suggestions> {
  const typed = args.at(-1) ?? '';
  const { command, positional, pending } = follow(program, args.slice(0, -1));
  const starting = (words: readonly string[]) => ({
    words: words.filter((word) => word.startsWith(typed)).toSorted(),
    directive: NO_FILES,
  });
  if (pending !== undefined) {
    const values = await valuesOf(call, pending);
    if (values !== undefined) return starting(values);
    return { words: [], directive: /<(file|dir|path)/.test(pending.flags) ? FILES : NO_FILES };
  }
  if (typed.startsWith('-')) return starting(flagsOf(command));
  if (command.commands.length > 0 && positional === 0) return starting(command.commands.map((one) => one.name()));
  if (command.name() === 'run' && positional === 0) return { words: [], directive: FILES };
  return starting(await namesFor(call, command, positional));
}

interface Position {
  readonly command: Command;
  /** How many arguments that are no flags came before. */
  readonly positional: number;
  /** The flag whose value is being typed. */
  readonly pending: Option | undefined;
}

/** Which command the words lead to. */
function follow(program: Command, words: readonly string[]): Position {
  let command = program;
  let positional = 0;
  let pending: Option | undefined;
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = [...command.options, ...program.options].find((one) => one.short === word || one.long === word);
      if (option?.required === true && !word.includes('=')) pending = option;
      continue;
    }
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next === undefined) positional += 1;
    else command = next;
  }
  return { command, positional, pending };
}

function flagsOf(command: Command): readonly string[] {
  const own = command.options.filter((option) => !option.hidden).flatMap(({ long }) => long ?? []);
  return [...own, '--help', '--namespace', '--context', '--kubeconfig'];
}

async function valuesOf(call: Invocation, option: Option): Promise<readonly string[] | undefined> {
  switch (option.long) {
    case '--output':
      return ['table', 'wide', 'json', 'yaml', 'name', 'jsonpath='];
    case '--node-type':
      return ['all', 'head', 'worker'];
    case '--namespace': {
      const client = await call.client();
      const { items } = await client.list(resources.namespaces, { content: 'metadata' });
      return items.map(({ metadata }) => metadata?.name ?? '');
    }
    case '--ray-cluster':
    case '--on':
      return await namesOf(call, 'raycluster');
    case '--worker-group':
    case '--group':
      return await groupsOf(call);
    default:
      return undefined;
  }
}

/** Names of objects that the next argument of a command can be. */
async function namesFor(call: Invocation, command: Command, positional: number): Promise<readonly string[]> {
  if (positional >= command.registeredArguments.length && command.registeredArguments.at(-1)?.variadic !== true)
    return [];
  const path = [command.parent?.name() ?? '', command.name()].join(' ');
  if (path.startsWith('job ')) return await namesOf(call, 'rayjob');
  if (path.startsWith('cron ')) return await namesOf(call, 'raycronjob');
  if (/(^get|^scale) cluster$|^get token$/.test(path)) return await namesOf(call, 'raycluster');
  if (command.name() === 'init') return ['job', 'train', 'serve', 'cluster', 'cron'];
  if (command.name() === 'explain') return ALL_KINDS;
  if (/^(create|get|completion) /.test(path) || /^(plan|validate|doctor|version)$/.test(command.name())) return [];
  const names = await Promise.all(
    ALL_KINDS.map(async (kind) => (await namesOf(call, kind).catch(() => [])).map((name) => `${kind}/${name}`)),
  );
  return names.flat();
}

async function namesOf(call: Invocation, kind: RayKind): Promise<readonly string[]> {
  const client = await call.client();
  const namespace = await call.namespace();
  const { items } = await client.list(RAY_TYPES[kind], { namespace, content: 'metadata' });
  return items.map(({ metadata }) => metadata?.name ?? '');
}

async function groupsOf(call: Invocation): Promise<readonly string[]> {
  const client = await call.client();
  const namespace = await call.namespace();
  const { items } = await client.list(resources.pods, { namespace, labelSelector: Label.Group, content: 'metadata' });
  return [...new Set(items.map(({ metadata }) => metadata?.labels?.[Label.Group] ?? ''))];
}
