/** The runtime environment of a job: YAML text that must hold a mapping. */
import { isRecord } from '../loose.ts';

/**
 * Reads YAML and throws where it isn't any; the error's message ends up in ours. Mappings may come back as objects or as
 * `Map`s; only a `Map` lets us see a key that JSON can't have.
 */
export type YamlParser = (text: string) => unknown;

/**
 * Why the text is no mapping; nothing where it is one, or empty. The text itself is not quoted, nor any key or value of it: the message
 * goes into events and the status, which more people may read than the job, and environment variables often hold secrets.
 */
export function runtimeEnvProblem(text: string, parseYaml: YamlParser): string | undefined {
  if (text === '') return undefined;
  const reason = unreadable(text, parseYaml);
  return reason === undefined ? undefined : `failed to unmarshal RuntimeEnvYAML: ${reason}`;
}

function unreadable(text: string, parseYaml: YamlParser): string | undefined {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    return `error converting YAML to JSON: not valid YAML${placeIn(error)}`;
  }
  const problem = jsonProblem(value);
  if (problem !== undefined) return `error converting YAML to JSON: ${problem}`;
  const kind = scalarOrListKind(value);
  if (kind === undefined) return undefined;
  const target = 'Go value of type types.RuntimeEnvType';
  return `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kind} into ${target}`;
}

/** Where a parser has found the fault; the rest of its message may quote the text. */
function placeIn(error: unknown): string {
  const [, line, column] =
    /\bline (\d+)(?:[,:]? column (\d+))?/.exec(error instanceof Error ? error.message : '') ?? [];
  if (line === undefined) return '';
  return column === undefined ? ` at line ${line}` : ` at line ${line}, column ${column}`;
}

/** The name of a JSON type that is no mapping; an empty document is as good as an empty mapping. */
function scalarOrListKind(value: unknown): string | undefined {
  if (value === null || value === undefined || value instanceof Map) return undefined;
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date || typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' || typeof value === 'bigint' ? 'number' : undefined;
}

/** JSON has only texts as keys (numbers and booleans become texts, nothing else does), and no numbers without end. */
function jsonProblem(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return `json: unsupported value: ${inGo(value)}`;
  if (Array.isArray(value)) return firstProblem(value.map((item) => () => jsonProblem(item)));
  if (value instanceof Map) {
    return firstProblem(
      [...value].map(
        ([key, item]) =>
          () =>
            entryProblem(key, item),
      ),
    );
  }
  if (isRecord(value)) return firstProblem(Object.values(value).map((item) => () => jsonProblem(item)));
  return undefined;
}

function entryProblem(key: unknown, item: unknown): string | undefined {
  if (key === null || key === undefined) {
    return 'unsupported map key: null';
  }
  if (key instanceof Map || Array.isArray(key)) return 'yaml: invalid map key: a list or mapping';
  return jsonProblem(item);
}

function firstProblem(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A number without end as Go prints it. */
function inGo(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : 'NaN';
}
