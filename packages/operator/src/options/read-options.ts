import { readFileSync } from 'node:fs';
import { type Configuration, decodeConfiguration, type Parsed } from '@manta/api';
import { OPERATOR_FLAGS } from './flags.ts';
import { describeFlags, parseGoFlags } from './go-flags.ts';
import { type OperatorOptions, resolveOptions } from './options.ts';

export type ReadOptions =
  | { readonly kind: 'options'; readonly options: OperatorOptions }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'error'; readonly message: string };

const HELP = `manta operator [flags]

Runs the operator until SIGTERM or SIGINT. Flags, environment variables and the Configuration file are those of the KubeRay operator.

`;

/** Reads flags, then the file that `--config` names. */
export async function readOptions(args: readonly string[]): Promise<ReadOptions> {
  const flags = parseGoFlags(OPERATOR_FLAGS, args);
  if (flags.kind === 'error') return flags;
  if (flags.kind === 'help') return { kind: 'help', text: HELP + describeFlags(OPERATOR_FLAGS) };
  const path = flags.values.config ?? '';
  const file = path === '' ? undefined : await readConfiguration(path);
  if (file !== undefined && !file.ok) return { kind: 'error', message: file.error };
  const options = resolveOptions(flags.values, file?.value.configuration);
  if (!options.ok) return { kind: 'error', message: options.error };
  const notes = (file?.value.unknownFields ?? []).map(
    (field) => `${path}: field ${field} is not known and has no effect.`,
  );
  return { kind: 'options', options: { ...options.value, notes: [...options.value.notes, ...notes] } };
}

interface ConfigurationFile {
  readonly configuration: Configuration;
  readonly unknownFields: readonly string[];
}

async function readConfiguration(path: string): Promise<Parsed<ConfigurationFile>> {
  const { parseDocument } = await import('yaml');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return { ok: false, error: `--config: cannot read ${path}: ${reasonOf(error)}` };
  }
  const document = parseDocument(text, { version: '1.1', prettyErrors: true });
  const [problem] = document.errors;
  if (problem !== undefined)
    return { ok: false, error: `--config: ${path} is not YAML: ${firstLine(problem.message)}` };
  const decoded = decodeConfiguration(document.toJS());
  if (!decoded.ok) {
    const problems = decoded.errors.map(({ message }) => message).join('; ');
    return { ok: false, error: `--config: ${path}: ${problems}` };
  }
  return { ok: true, value: { configuration: decoded.value, unknownFields: decoded.unknownFields } };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
