import { API_CLIENT_LIMITS } from '@manta/base';
import { ConfigError, errorMessage } from './config-error.ts';
import { Fields } from './fields.ts';

/** Where a named cluster, user or context was written, and its fields. */
export type KubeconfigSection = ReadonlyMap<string, Fields>;

/** One kubeconfig file, or several merged: named sections whose fields are checked only when they are used. */
export interface Kubeconfig {
  /** The files it was read from, in order. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: KubeconfigSection;
  readonly users: KubeconfigSection;
  readonly contexts: KubeconfigSection;
}

/** Reads the text of one kubeconfig (YAML or JSON). An empty file is an empty kubeconfig. */
export async function parseKubeconfig(file: string, text: string): Promise<Kubeconfig> {
  if (text.length > API_CLIENT_LIMITS.kubeconfigBytes) {
    const found = `${text.length} characters, at most ${API_CLIENT_LIMITS.kubeconfigBytes} are read`;
    throw new ConfigError(`${file} has ${found}: name a kubeconfig with fewer clusters`);
  }
  const root = new Fields(file, '', await parseYaml(file, text));
  const kind = root.text('kind');
  if (kind !== undefined && kind !== 'Config') {
    throw root.error('kind', `is "${kind}", so this is no kubeconfig; a kubeconfig has kind "Config"`);
  }
  return {
    files: [file],
    currentContext: root.text('current-context'),
    clusters: section(root, 'clusters', 'cluster'),
    users: section(root, 'users', 'user'),
    contexts: section(root, 'contexts', 'context'),
  };
}

/** Merges kubeconfigs the way kubectl does: the first file that names a section or the current context wins, whole. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    files: configs.flatMap((config) => config.files),
    currentContext: configs.find((config) => config.currentContext !== undefined)?.currentContext,
    clusters: mergeSections(configs.map((config) => config.clusters)),
    users: mergeSections(configs.map((config) => config.users)),
    contexts: mergeSections(configs.map((config) => config.contexts)),
  };
}

function mergeSections(sections: readonly KubeconfigSection[]): KubeconfigSection {
  const merged = new Map<string, Fields>();
  for (const [name, fields] of sections.flatMap((one) => [...one])) {
    if (!merged.has(name)) merged.set(name, fields);
  }
  return merged;
}

function section(root: Fields, listField: string, entryField: string): KubeconfigSection {
  const entries = new Map<string, Fields>();
  for (const entry of root.mappings(listField)) {
    const name = entry.text('name') ?? '';
    if (entries.has(name)) throw root.error(listField, `names "${name}" twice; remove one of the two`);
    entries.set(name, new Fields(root.file, `${entryField} "${name}"`, entry.raw(entryField)));
  }
  return entries;
}

/** The parser is loaded only here: an operator in a cluster never needs it. */
async function parseYaml(file: string, text: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { merge: true, uniqueKeys: false, prettyErrors: true });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const { line, col } = problem.linePos?.[0] ?? { line: 1, col: 1 };
    const what = errorMessage(problem).replace(/ at line \d+, column \d+:?$/, '');
    throw new ConfigError(`${file}:${line}:${col}: not valid YAML: ${what}`, { file, cause: problem });
  }
  try {
    return document.toJS();
  } catch (cause) {
    throw new ConfigError(`${file}: not valid YAML: ${errorMessage(cause)}`, { file, cause });
  }
}
